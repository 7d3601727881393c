#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "model/process.h"
#include "platform/reader.h"

namespace procscope {

struct SnapshotRequest {
  ReaderOptions reader;
  FieldMask fields = 0;
  /// Only these processes; otherwise all.
  bool only = false;
  std::vector<int32_t> pids;
  std::chrono::milliseconds deadline{1000};
  /// The reader was prepared before.
  bool prepared = false;
};

/// Reads the process table once. Never throws for what the system answers: a table that could not
/// be read carries the fault. Waits no longer than the deadline for any call that does not return.
ProcessTable take_snapshot(const SnapshotRequest& request);

/// The same with a reader of the caller's own: one that is kept, or that stalls at will.
ProcessTable take_snapshot(const SnapshotRequest& request, std::shared_ptr<Reader> reader);

}  // namespace procscope
