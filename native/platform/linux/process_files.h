#pragma once

#include <cstdint>

#include "model/packing.h"
#include "parse/locks.h"
#include "platform/descriptors.h"

namespace procscope::linux_os {

/// The root that a process is looked for in.
struct FilesRoot {
  int fd = -1;
  /// Not a process file system but a copy of its files: what its links name is not of this machine.
  bool recorded = false;
};

/// See DescriptorReader::read(). The draft is empty.
RowOutcome read_process_files(const FilesRoot& root, int32_t pid, const FilesPlan& plan,
                              const Avoid& avoid, FilesDraft& draft, Watch& watch);

/// Keeps a parsed lock, with its text.
inline void add_lock(Table<LockRow>& locks, const LockLine& line) {
  locks.rows.push_back(line.row);
  locks.rows.back().state = locks.put(line.state);
}

}  // namespace procscope::linux_os
