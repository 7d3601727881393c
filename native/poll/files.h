#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/descriptors.h"

namespace procscope {

struct FilesRequest {
  std::string root = "/proc";
  FilesPlan plan;
  /// Only these processes; otherwise all.
  bool only = false;
  std::vector<int32_t> pids;
  /// Most rows of the whole answer; what is left out is a fault of the table.
  size_t max_rows = 1 << 20;
  std::chrono::milliseconds deadline{1000};
};

struct FilesAnswer {
  Table<FileRow> files;
  /// Lock marks that stand in the fdinfo of these files.
  Table<LockRow> locks;
  /// Processes that ended before anything of them was read.
  uint32_t vanished = 0;
};

/// The files that processes hold, read once. Waits no longer than the deadline for any call that
/// does not return.
FilesAnswer read_files(const FilesRequest& request);

/// The locks of the system, waiters included; a table that could not be read has the fault.
Table<LockRow> read_locks(const std::string& root, std::chrono::milliseconds deadline);

}  // namespace procscope
