#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace procscope {

/// /proc/<pid>/io. proc_pid_io(5).
struct ProcIo {
  uint64_t rchar = 0;
  uint64_t wchar = 0;
  uint64_t syscr = 0;
  uint64_t syscw = 0;
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
  uint64_t cancelled_write_bytes = 0;
};

/// Nothing unless every line is there.
std::optional<ProcIo> parse_io(std::string_view bytes);

/// The lines of /proc/<pid>/status that tell of use. A process without a memory map has no Vm
/// lines, and old kernels no switches. proc_pid_status(5).
struct UsageStatus {
  /// Bytes.
  std::optional<uint64_t> rss;
  std::optional<uint64_t> peak_rss;
  std::optional<uint64_t> swap;
  /// Of one task.
  std::optional<uint64_t> voluntary;
  std::optional<uint64_t> involuntary;
};

UsageStatus parse_usage_status(std::string_view bytes);

/// The Pss line of /proc/<pid>/smaps_rollup, in bytes. proc_pid_smaps(5).
std::optional<uint64_t> parse_pss(std::string_view bytes);

/// /proc/<pid>/statm, in pages. proc_pid_statm(5).
struct ProcStatm {
  uint64_t size = 0;
  uint64_t resident = 0;
};

std::optional<ProcStatm> parse_statm(std::string_view bytes);

/// Time on a processor in nanoseconds: the first number of /proc/<pid>/task/<tid>/schedstat.
/// Documentation/scheduler/sched-stats.rst.
std::optional<uint64_t> parse_schedstat(std::string_view bytes);

/// The fourth and fifth word of /proc/loadavg. proc_loadavg(5).
struct Loadavg {
  /// Threads of all processes of the machine, also of those outside our pid namespace.
  int32_t tasks = 0;
  /// The last pid (or thread id) that was given out in our pid namespace.
  int32_t last_pid = 0;
};

std::optional<Loadavg> parse_loadavg(std::string_view bytes);

}  // namespace procscope
