#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace procscope {

/// The fields of /proc/<pid>/stat that rows use, in the kernel's own units. proc_pid_stat(5).
struct ProcStat {
  int32_t pid = 0;
  /// Any bytes, blanks, parentheses and newlines included.
  std::string_view comm;
  char state = 0;
  int32_t ppid = 0;
  int32_t pgid = 0;
  int32_t sid = 0;
  /// Device number in the kernel's packed form; 0 = no controlling terminal.
  uint32_t tty_device = 0;
  int32_t tpgid = 0;
  uint32_t flags = 0;
  uint64_t minor_faults = 0;
  uint64_t major_faults = 0;
  /// Of children that ended and were waited for, and of those that these had waited for.
  uint64_t waited_minor_faults = 0;
  uint64_t waited_major_faults = 0;
  /// Clock ticks.
  uint64_t utime = 0;
  uint64_t stime = 0;
  int64_t waited_utime = 0;
  int64_t waited_stime = 0;
  int32_t priority = 0;
  int32_t nice = 0;
  int32_t threads = 0;
  /// Clock ticks since boot.
  uint64_t start = 0;
  /// Bytes.
  uint64_t vsize = 0;
  /// Pages; the kernel may show a small negative number while counters settle.
  int64_t rss = 0;
};

/// PF_KTHREAD in include/linux/sched.h.
inline constexpr uint32_t kKernelThreadFlag = 0x00200000;

/// Whether these bytes show that the process has an argument area and that it is empty (argc = 0):
/// fields 48 to 51, which only those see who may trace it. proc_pid_stat(5).
bool shows_no_arguments(std::string_view bytes);

/// PF_FORKNOEXEC: forked and has not run another program since.
inline constexpr uint32_t kForkedFlag = 0x00000040;

/// A digest of where the program and its arguments lie in memory (fields 26 to 28 and 45 to 51):
/// exec gives other addresses, and so does a title that moves the arguments. Where the kernel hides
/// the addresses from us the size of the memory (field 23) stands for them, which changes more
/// often. proc_pid_stat(5).
uint64_t image_of(std::string_view bytes);

/// Parses one whole file. Nothing if it is cut short of the rss field or is not of this form.
std::optional<ProcStat> parse_stat(std::string_view bytes);

}  // namespace procscope
