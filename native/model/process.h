#pragma once

#include <cstdint>
#include <string>

#include "model/packing.h"

namespace procscope {

/// What can be asked about a process, one bit a field in a FieldMask. The order is part of what
/// crosses to JS; names are in columns.cc.
enum class Field : uint8_t {
  // From one read of `stat`.
  kPpid = 0,
  kPgid,
  kSid,
  kTty,
  kTpgid,
  kState,
  kName,
  kStart,
  kThreads,
  kPriority,
  kNice,
  kCpu,
  kRss,
  kVsize,
  kKernelThread,
  // From one read of `status`.
  kUid,
  kEuid,
  kGid,
  kEgid,
  kNspid,
  // Each a read of its own.
  kUser,
  kArgv,
  kExe,
  kExeFile,
  kCwd,
  kRoot,
  kPidNamespace,
  kCgroup,
  kEnv,
};

inline constexpr int kFields = 29;

static_assert(kFields <= 32, "the presence of a row's fields crosses as one 32-bit word");

constexpr FieldMask bit(Field field) { return FieldMask{1} << static_cast<uint8_t>(field); }

constexpr FieldMask mask_of() { return 0; }
template <typename... Rest>
constexpr FieldMask mask_of(Field first, Rest... rest) {
  return bit(first) | mask_of(rest...);
}

inline constexpr FieldMask kAllFields = (FieldMask{1} << kFields) - 1;

/// Fields that come with one read of /proc/<pid>/stat.
inline constexpr FieldMask kStatFields =
    mask_of(Field::kPpid, Field::kPgid, Field::kSid, Field::kTty, Field::kTpgid, Field::kState,
            Field::kName, Field::kStart, Field::kThreads, Field::kPriority, Field::kNice,
            Field::kCpu, Field::kRss, Field::kVsize, Field::kKernelThread);

/// Fields that come with one read of /proc/<pid>/status.
inline constexpr FieldMask kStatusFields =
    mask_of(Field::kUid, Field::kEuid, Field::kGid, Field::kEgid, Field::kNspid);

enum RowFlag : uint8_t {
  kFlagKernelThread = 1,
  kFlagExeDeleted = 2,
  kFlagCwdDeleted = 4,
  /// The `deleted` flag of exe or cwd could not be settled.
  kFlagExeDeletedUnknown = 8,
  kFlagCwdDeletedUnknown = 16,
};

/// One process. A field counts only where its bit stands in `present`. A text of length 0 that is
/// present means: looked, and there is none.
struct ProcessRow {
  int32_t pid = 0;
  FieldMask present = 0;
  int32_t ppid = 0;
  int32_t pgid = 0;
  int32_t sid = 0;
  int32_t tpgid = 0;
  uint32_t tty_device = 0;
  int32_t threads = 0;
  int32_t priority = 0;
  int32_t nice = 0;
  uint32_t uid = 0;
  uint32_t euid = 0;
  uint32_t gid = 0;
  uint32_t egid = 0;
  uint8_t state = 0;
  uint8_t flags = 0;
  /// Start in the kernel's own unit (Linux: clock ticks since boot; Windows: FILETIME).
  uint64_t start_key = 0;
  uint64_t exe_dev = 0;
  uint64_t exe_ino = 0;
  /// Inode number of the pid namespace.
  uint64_t pid_namespace = 0;
  /// Milliseconds since the epoch; NaN where the time of the boot is not known.
  double start_time = 0;
  /// Milliseconds of processor time.
  double user_cpu = 0;
  double system_cpu = 0;
  /// Bytes.
  double rss = 0;
  double vsize = 0;
  TextRef name;
  TextRef tty;
  TextRef user;
  /// Arguments as the kernel gives them: each ends with NUL.
  TextRef argv;
  TextRef exe;
  TextRef cwd;
  TextRef root;
  /// The lines of /proc/<pid>/cgroup.
  TextRef cgroup;
  /// For each asked key, in the order asked: '=' value NUL, '-' NUL (not set), '?' NUL (not known).
  TextRef env;
  /// Pids from the outermost namespace inward, in decimal, separated by tabs.
  TextRef nspid;
};

/// One look at the process table.
struct ProcessTable : Table<ProcessRow> {
  std::string boot_id;
  /// Entries of the table whose process ended before anything of it was read.
  uint32_t vanished = 0;
};

}  // namespace procscope
