#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "parse/stat.h"
#include "platform/linux/io.h"
#include "platform/reader.h"

namespace procscope::linux_os {

/// What rows of one pass share.
struct RowContext {
  int root = -1;
  /// The root is this machine's own /proc: it never waits for a file system, and its ids are ours.
  bool live = true;
  /// The root is a copy of process files: what its links name is not of this machine.
  bool recorded = false;
  const ReaderOptions* options = nullptr;
  int64_t ticks_per_second = 100;
  int64_t page_size = 4096;
  /// Clock ticks since boot when this look began; 0 = the root is not of this boot.
  uint64_t boot_ticks = 0;
  /// Milliseconds since the epoch at which this system booted; NaN = not known, and so is every
  /// start that is told by the clock.
  double boot_time = std::numeric_limits<double>::quiet_NaN();
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
///   read of stat, readlink       the target's exec lock, which     none: a stall anywhere else
///   gives up
///                                an exec that is stuck holds       the whole row
/// None of the last two waits for a file system. Older kernels take that lock only for cmdline's
/// siblings; those of 2026 take it wherever they check the right to look. status, cgroup and the
/// lists of descriptors and threads wait for nobody.
class ProcRow {
 public:
  ProcRow(const RowContext& context, int32_t pid, const RowPlan& plan, RowDraft& draft,
          Watch& watch, Buffer& buffer);

  RowOutcome read();

 private:
  [[nodiscard]] bool wants(FieldMask fields) const { return (plan_.fields & fields) != 0; }
  void fail(FieldMask fields, FaultKind kind, Call call, int code);
  [[nodiscard]] std::string_view prefix() const { return {prefix_, prefix_size_}; }
  void fail(FieldMask fields, const Bytes& bytes) {
    fail(fields, kind_of_errno(bytes.code), bytes.call, bytes.code);
  }

  void fail_avoided(FieldMask fields, Call call) { fail(fields, plan_.avoid.why, call, 0); }

  [[nodiscard]] bool can_read_by_path() const;
  bool read_by_path();
  RowOutcome read_by_directory();
  bool read_all_but_stat();
  void use_path();
  bool open_row();
  bool read_stat();
  void follow_live_thread();
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
  /// Answers "none" for what is known to be a kernel thread or a zombie: true if it did.
  bool put_none(Field field);
  void put_link(Field field, TextRef ProcessRow::*member, const char* name);
  void settle_deleted(Field field, TextRef ProcessRow::*member, const char* name, RowFlag deleted,
                      RowFlag unknown);

  /// What an empty answer means depends on what the process is; asked only when one came.
  enum class Life : uint8_t { kUnknown, kAlive, kLeaderGone, kZombie, kKernelThread, kGone };
  static Life life_of(const ProcStat& stat);
  Life life();
  Life look_again();
  /// Kernel thread or zombie: what its links and its memory map would show is not there.
  bool has_no_image();

  const RowContext& context_;
  const int32_t pid_;
  const RowPlan& plan_;
  RowDraft& draft_;
  Watch& watch_;
  Buffer& buffer_;
  /// The row is read by path, and whether what came is then good enough.
  bool by_path_ = false;
  bool doubtful_ = false;
  OwnedFd opened_;
  /// Where the names below are looked up: the row's directory, or the root.
  int directory_ = -1;
  char prefix_[40];
  size_t prefix_size_ = 0;
  Life life_ = Life::kUnknown;
  bool no_arguments_ = false;
  uint32_t euid_ = 0;
  bool has_euid_ = false;
};

/// Puts into the draft what `stat` tells of the asked fields.
void put_stat(const RowContext& context, const ProcStat& stat, FieldMask fields, RowDraft& draft);

/// The name of a file of a row, below the directory in use.
struct RowPath {
  char text[80];
  RowPath(std::string_view prefix, std::string_view file);
};

}  // namespace procscope::linux_os
