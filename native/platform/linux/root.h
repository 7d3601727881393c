#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/owned.h"
#include "base/result.h"
#include "platform/watch.h"

namespace procscope::linux_os {

/// The mount of a process file system that a question is asked of.
class ProcRoot {
 public:
  explicit ProcRoot(std::string path);

  /// This machine's own /proc: it never waits for a file system, and its ids are ours. Any other
  /// root may be of another machine and lie anywhere.
  [[nodiscard]] bool live() const { return live_; }
  /// No process file system but a copy of its files, such as a capture.
  [[nodiscard]] bool recorded() const { return recorded_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

  Result<std::monostate> open(Watch& watch);
  /// Appends every pid, ascending. An empty root is a fault: a process file system shows at least
  /// whoever reads it.
  Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const;

  /// Marks what follows as able to wait, where the root is not live.
  [[nodiscard]] Waiting guard(Watch& watch) const;

 private:
  std::string path_;
  bool live_;
  bool recorded_ = false;
  OwnedFd fd_;
};

}  // namespace procscope::linux_os
