#pragma once

#include <cstdint>
#include <limits>

#include "model/packing.h"

namespace procscope {

/// How a process holds a file.
enum class FileRole : uint8_t { kFd = 0, kCwd, kRoot, kExe, kMap };
inline constexpr int kFileRoles = 5;

/// What can be asked about an open file, one bit each. The order is part of what crosses to JS.
enum class FileField : uint8_t {
  /// The link as the kernel shows it.
  kPath = 0,
  /// From `fdinfo`: offset, open flags, mount id, and what is special to the kind of file.
  kInfo,
  /// Device, inode, mode, size, link count.
  kStat,
  /// The lock marks of `fdinfo`.
  kLocks,
};
inline constexpr int kFileFields = 4;

constexpr FieldMask bit(FileField field) { return FieldMask{1} << static_cast<uint8_t>(field); }
constexpr uint8_t bit(FileRole role) {
  return static_cast<uint8_t>(1U << static_cast<uint8_t>(role));
}

/// One file that one process holds. A field counts only where its bit stands in `present`.
struct FileRow {
  int32_t pid = 0;
  /// -1 where the role is not kFd, and for the row that says why the descriptors could not be read.
  int32_t fd = -1;
  uint8_t role = 0;
  FieldMask present = 0;
  /// Open flags of open(2), octal in fdinfo.
  uint32_t flags = 0;
  int32_t mount_id = -1;
  uint64_t offset = 0;
  /// st_dev and st_ino; for mappings the device of the file system and its inode, as maps shows
  /// them.
  uint64_t dev = 0;
  uint64_t ino = 0;
  uint64_t rdev = 0;
  uint32_t mode = 0;
  double size = 0;
  double nlink = 0;
  TextRef path;
  /// The lines of fdinfo behind the general ones: special to the kind of file.
  TextRef details;
};

enum class LockType : uint8_t { kFlock = 0, kPosix, kOfd, kLease, kDelegation, kOther };
enum class LockMode : uint8_t { kRead = 0, kWrite, kNone };

/// One lock, as a line of /proc/locks or of fdinfo shows it. proc_locks(5).
struct LockRow {
  /// Number in /proc/locks, which a waiter shares with the lock that it waits for.
  double id = 0;
  uint8_t type = 0;
  uint8_t mode = 0;
  uint8_t waiting = 0;
  /// Where the line stands in fdinfo: the process and descriptor that hold it; else 0 and -1.
  int32_t holder = 0;
  int32_t fd = -1;
  /// The pid that took the lock, as the kernel shows it: -1 for OFD locks, 0 where it is not
  /// visible.
  int32_t taker = 0;
  uint32_t major = 0;
  uint32_t minor = 0;
  uint64_t ino = 0;
  uint64_t start = 0;
  uint64_t end = kEndOfFile;
  /// ADVISORY, MANDATORY, ACTIVE, BREAKING, BREAKER ...
  TextRef state;

  static constexpr uint64_t kEndOfFile = std::numeric_limits<uint64_t>::max();
};

}  // namespace procscope
