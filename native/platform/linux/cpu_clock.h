#pragma once

#include <cstdint>
#include <optional>

#include "parse/stat.h"
#include "platform/usage.h"

namespace procscope::linux_os {

/// The units in which this kernel counts.
class UsageUnits {
 public:
  UsageUnits();

  /// Length of a clock tick in milliseconds.
  [[nodiscard]] double tick() const { return tick_; }
  [[nodiscard]] double pages(uint64_t count) const { return static_cast<double>(count) * page_; }
  [[nodiscard]] Counters counters(const ProcStat& stat) const;

 private:
  double tick_;
  double page_;
};

/// Whether the pids of the process file system open at `root` are those of our own pid namespace:
/// calls that take a pid would speak of other processes elsewhere.
bool shows_own_pids(int root);

/// Milliseconds that the process with this pid was on a processor: of every thread that it has or
/// had, in steps of a nanosecond. The kernel asks for no right. clock_getcpuclockid(3).
std::optional<double> cpu_clock_of(int32_t pid);

}  // namespace procscope::linux_os
