#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platform/usage.h"

namespace procscope {

struct FollowTarget {
  int32_t pid = 0;
  /// Shared, since a thread that is parked inside it may outlive everybody else.
  std::shared_ptr<UsageProbe> probe;
};

struct FollowAnswers {
  /// One for each target, in its order; `io` only where it was asked for.
  std::vector<Result<ProcIo>> io;
  std::vector<Result<Counters>> counters;
  /// Processor time that reading them took, in milliseconds.
  double cpu = 0;
};

/// Reads the io numbers of all targets and then the counters of all, and waits no longer than the
/// deadline for reads that do not return: those get a `timeout` fault, and their targets are not
/// asked again while a thread is parked there. `root` is the machine's, which names what hangs
/// together with the pid.
FollowAnswers read_followed(const std::string& root, std::vector<FollowTarget> targets, bool io,
                            std::chrono::milliseconds deadline);

}  // namespace procscope
