#include "platform/linux/cpu_clock.h"

#include <unistd.h>
#include <ctime>

#include <string_view>

#include "parse/links.h"

namespace procscope::linux_os {

UsageUnits::UsageUnits()
    : tick_(1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK))),
      page_(static_cast<double>(::sysconf(_SC_PAGESIZE))) {}

Counters UsageUnits::counters(const ProcStat& stat) const {
  const auto ticks = [this](auto count) { return static_cast<double>(count) * tick_; };
  Counters counters;
  counters.start_key = stat.start;
  counters.ppid = stat.ppid;
  counters.threads = stat.threads;
  counters.zombie = stat.state == 'Z' && stat.threads <= 1;
  counters.user = ticks(stat.utime);
  counters.system = ticks(stat.stime);
  counters.waited_user = ticks(stat.waited_utime);
  counters.waited_system = ticks(stat.waited_stime);
  counters.minor_faults = static_cast<double>(stat.minor_faults);
  counters.major_faults = static_cast<double>(stat.major_faults);
  counters.waited_minor_faults = static_cast<double>(stat.waited_minor_faults);
  counters.waited_major_faults = static_cast<double>(stat.waited_major_faults);
  counters.memory.rss = pages(stat.rss > 0 ? static_cast<uint64_t>(stat.rss) : 0);
  counters.memory.vsize = static_cast<double>(stat.vsize);
  return counters;
}

bool shows_own_pids(int root) {
  char target[16];
  const ssize_t n = ::readlinkat(root, "self", target, sizeof target);
  return n > 0 &&
         parse_pid_name(std::string_view(target, static_cast<size_t>(n))) == int32_t{::getpid()};
}

std::optional<double> cpu_clock_of(int32_t pid) {
  // What clock_getcpuclockid(3) makes, without the system call that it makes to check it
  // (CPUCLOCK_SCHED of include/linux/posix-timers.h).
  constexpr uint32_t kScheduled = 2;
  const auto clock = static_cast<clockid_t>((~static_cast<uint32_t>(pid) << 3) | kScheduled);
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) {
    return std::nullopt;
  }
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace procscope::linux_os
