#pragma once

#include <cstdint>
#include <string>

#include "model/packing.h"

namespace procscope {

/// What can be asked about the usage of a process, one bit each in a FieldMask. The order is part
/// of what crosses to JS; names are in columns.cc.
enum class UsageField : uint8_t {
  /// One read of `stat`: processor time, memory, threads, page faults, and what identifies the row.
  kBase = 0,
  /// Processor time in nanoseconds.
  kRuntime,
  kPeakRss,
  kSwap,
  kPss,
  kIo,
  kSwitches,
};

inline constexpr int kUsageFields = 7;

constexpr FieldMask bit(UsageField field) { return FieldMask{1} << static_cast<uint8_t>(field); }

inline constexpr FieldMask kAllUsage = (FieldMask{1} << kUsageFields) - 1;

enum class RuntimeSource : uint8_t {
  kNone = 0,
  /// The processor-time clock of the process: every thread that it has or had.
  kClock,
  /// Sum over the threads that are there: those that ended are not in it.
  kThreads,
};

/// What one process has used. A field counts only where its bit stands in `present`; a bit in
/// `none` means: looked, and there is none (no memory map, no io accounting in the kernel).
/// Times are milliseconds, sizes are bytes.
struct UsageRow {
  int32_t pid = 0;
  FieldMask present = 0;
  FieldMask none = 0;
  int32_t ppid = 0;
  int32_t threads = 0;
  uint8_t state = 0;
  uint8_t kernel_thread = 0;
  uint8_t runtime_source = 0;
  uint64_t start_key = 0;
  double user = 0;
  double system = 0;
  double waited_user = 0;
  double waited_system = 0;
  double runtime = 0;
  double rss = 0;
  double vsize = 0;
  double minor_faults = 0;
  double major_faults = 0;
  double waited_minor_faults = 0;
  double waited_major_faults = 0;
  double peak_rss = 0;
  double swap = 0;
  double pss = 0;
  double read_chars = 0;
  double write_chars = 0;
  double read_calls = 0;
  double write_calls = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double cancelled_write_bytes = 0;
  double voluntary = 0;
  double involuntary = 0;
  TextRef name;
};

struct UsageTable : Table<UsageRow> {
  /// Of the pids that were asked for: those that are not there.
  uint32_t vanished = 0;
};

/// One look of a sampler, over all processes that it follows. Times are milliseconds, sizes bytes;
/// counters count from the first look.
struct SampleRow {
  /// Number of this look, from 0. What was lost in between is missing in the row of numbers.
  double sequence = 0;
  /// CLOCK_MONOTONIC.
  double time = 0;
  FieldMask present = 0;
  /// Deadlines between this look and the one before that passed without a look.
  uint32_t missed = 0;
  uint32_t processes = 0;
  uint32_t started = 0;
  uint32_t ended = 0;
  uint32_t threads = 0;
  double cpu = 0;
  double user = 0;
  double system = 0;
  double percent = 0;
  double rss = 0;
  double vsize = 0;
  double minor_faults = 0;
  double major_faults = 0;
  double read_chars = 0;
  double write_chars = 0;
  double read_calls = 0;
  double write_calls = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double cancelled_write_bytes = 0;
};

/// One process in one look of a sampler.
struct MemberRow {
  /// Position of the look in the batch that it is handed out with.
  uint32_t sample = 0;
  int32_t pid = 0;
  int32_t ppid = 0;
  int32_t threads = 0;
  uint64_t start_key = 0;
  /// Since the process started.
  double cpu = 0;
  /// NaN at first sight: there is nothing to compare with.
  double percent = 0;
  double rss = 0;
  double vsize = 0;
};

}  // namespace procscope
