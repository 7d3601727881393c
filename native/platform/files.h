#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/watch.h"

/// Looks at files that belong to somebody else. Everything here may wait for a file system that no
/// longer answers, so it runs on reader threads only (poll/look.h).
namespace procscope {

enum class FileOp : uint8_t { kStat, kRealpath, kRead, kList };

struct FileRequest {
  FileOp op = FileOp::kStat;
  std::string path;
  /// Requests of one group are thought to share a file system.
  std::string group;
  /// Where not empty: a directory that the path is resolved below, as if it were the root. Links,
  /// also absolute ones, cannot lead out of it.
  std::string root;
  /// Follow a symbolic link at the end of the path.
  bool follow = true;
  /// The path was resolved before: a link anywhere in it was put there meanwhile, and is refused.
  bool no_links = false;
  /// kList: also the status of each entry, of a link its own.
  bool entry_stats = false;
  uint64_t offset = 0;
  /// Of kRead: the last `limit` bytes instead of those from `offset` on.
  bool from_end = false;
  /// Most bytes (kRead) or names (kList).
  uint32_t limit = 0;
};

struct FileStat {
  uint64_t dev = 0;
  uint64_t ino = 0;
  uint64_t size = 0;
  /// Milliseconds since the epoch.
  double mtime = 0;
  uint32_t uid = 0;
  /// Type and permission bits of stat(2).
  uint32_t mode = 0;
  uint64_t nlink = 0;
};

/// An entry of a directory. One that went away while it was listed has no status.
struct FileEntry {
  std::string name;
  bool has_stat = false;
  FileStat stat;
};

struct FileAnswer {
  FileOp op = FileOp::kStat;
  Fault fault;
  bool has_stat = false;
  /// More bytes or names were there than asked for.
  bool truncated = false;
  /// Entries carry their status.
  bool entry_stats = false;
  FileStat stat;
  std::string realpath;
  std::string bytes;
  /// Where `bytes` begin in the file.
  uint64_t offset = 0;
  std::vector<FileEntry> entries;

  [[nodiscard]] bool ok() const { return fault.kind == FaultKind::kNone; }
};

/// The mount point of the network or FUSE file system that a path lies on, by its text alone: where
/// one call hangs, every other below it would. Empty for other file systems. Does not wait.
std::string remote_mount_of(const std::string& path);

/// Answers one request on the calling thread. A read opens regular files only (what takes the place
/// of one between the look and the open is opened without waiting, and not read).
FileAnswer look_at(const FileRequest& request, Watch& watch);

}  // namespace procscope
