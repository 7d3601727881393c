#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platform/usage.h"

namespace procscope {

struct UsageRequest {
  std::string root = "/proc";
  FieldMask fields = 0;
  /// In the order in which they are to be read.
  std::vector<int32_t> pids;
  std::chrono::milliseconds deadline{1000};
};

/// Reads what these processes have used. Never throws for what the system answers; waits no longer
/// than the deadline for any call that does not return.
UsageTable take_usage(const UsageRequest& request);

/// The same with a reader of the caller's own: for tests that need one which stalls at will.
UsageTable take_usage(const UsageRequest& request, std::shared_ptr<UsageReader> reader);

}  // namespace procscope
