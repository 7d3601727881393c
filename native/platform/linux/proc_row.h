#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "parse/stat.h"
#include "platform/linux/io.h"
#include "platform/reader.h"

namespace procscope::linux_os {

/// What rows of one pass share.
struct RowContext {
  int root = -1;
  /// The root is this machine's own /proc: it never waits for a file system, and its ids are ours.
  bool live = true;
  const ReaderOptions* options = nullptr;
  int64_t ticks_per_second = 100;
  int64_t page_size = 4096;
  /// Milliseconds since the epoch at which this system booted; negative = not known.
  double boot_time = -1;
  /// Name of a terminal device; empty if no driver claims it.
  std::function<std::string(uint32_t device)> tty_name;
};

/// Reads one row. Lives for one read() on one thread.
///
/// Calls that can wait for ever, and what guards them (each is inside a Waiting mark, so that the
/// thread that waits for this one sees which it is):
///   read of cmdline, environ     the target's memory-map lock      BlockClass::kMemoryMap
///   stat through exe, cwd, root  the file system they lie on       BlockClass::kFileSystem
///   getpwuid_r                   a directory server                BlockClass::kNameService
/// stat, status, cgroup and readlink of the links do not wait for a file system.
class ProcRow {
 public:
  ProcRow(const RowContext& context, int32_t pid, const RowPlan& plan, RowDraft& draft,
          Watch& watch, Buffer& buffer);

  RowOutcome read();

 private:
  [[nodiscard]] bool wants(FieldMask fields) const { return (plan_.fields & fields) != 0; }
  void fail(FieldMask fields, FaultKind kind, Call call, int code) {
    draft_.fail(plan_.fields & fields, kind, call, code);
  }
  void fail(FieldMask fields, const Bytes& bytes) {
    fail(fields, kind_of_errno(bytes.code), bytes.call, bytes.code);
  }

  void fail_avoided(FieldMask fields, Call call) { fail(fields, plan_.avoid_kind, call, 0); }

  bool open_row();
  bool read_stat();
  void accept_stat(const ProcStat& stat);
  void read_status();
  void read_user();
  void read_exe();
  void read_cwd();
  void read_root();
  void read_pid_namespace();
  void read_cgroup();
  void read_argv();
  void read_env();
  void read_exe_file();
  void put_link(Field field, TextRef ProcessRow::*member, const char* name);
  void settle_deleted(Field field, TextRef ProcessRow::*member, const char* name, RowFlag deleted,
                      RowFlag unknown);

  /// What an empty answer means depends on what the process is; asked only when one came.
  enum class Life : uint8_t { kUnknown, kAlive, kZombie, kKernelThread, kGone };
  static Life life_of(const ProcStat& stat);
  Life life();
  Life look_again();

  const RowContext& context_;
  const int32_t pid_;
  const RowPlan& plan_;
  RowDraft& draft_;
  Watch& watch_;
  Buffer& buffer_;
  OwnedFd opened_;
  /// Where the names below are looked up: the row's directory, or the root.
  int directory_ = -1;
  char prefix_[24] = "";
  Life life_ = Life::kUnknown;
  uint32_t euid_ = 0;
  bool has_euid_ = false;
};

/// The name of a file of a row, below the directory in use.
struct RowPath {
  char text[64];
  RowPath(const char* prefix, const char* file);
};

}  // namespace procscope::linux_os
