// What one process has used, from procfs.
//
// Calls that can wait for ever, and what guards them (each is inside a Waiting mark):
//   read of smaps_rollup   the target's memory-map lock               BlockClass::kMemoryMap
//   read of io             the target's exec lock, held in an exec    BlockClass::kMemoryMap
//   read of stat           the same, on kernels since 2026            none: the row is given up
//   everything             a root that is not this machine's /proc    BlockClass::kFileSystem
// status, schedstat, the list of tasks and processor-time clocks wait for nobody.
#include <cerrno>

#include <optional>
#include <string>

#include "parse/stat.h"
#include "parse/usage.h"
#include "platform/linux/cpu_clock.h"
#include "platform/linux/io.h"
#include "platform/linux/root.h"
#include "platform/linux/tasks.h"
#include "platform/usage.h"

namespace procscope::linux_os {

namespace {

constexpr size_t kFileLimit = 1 << 20;

Buffer& thread_buffer() {
  thread_local Buffer buffer;
  return buffer;
}

/// Reads one row. Lives for one read() on one thread.
class UsageRead {
 public:
  UsageRead(const UsageUnits& units, bool own_pids, const RowPlan& plan, UsageDraft& draft,
            Watch& watch)
      : units_(units), own_pids_(own_pids), plan_(plan), draft_(draft), watch_(watch) {}

  RowOutcome read(int root, int32_t pid) {
    draft_.start(pid);
    const std::string name = std::to_string(pid);
    const OwnedFd opened = open_directory(root, name.c_str());
    if (!opened.valid()) {
      return could_not_open();
    }
    directory_ = opened.get();
    // The clock is asked by pid; `stat`, read behind it through the directory, proves whose it was.
    if (wants(UsageField::kRuntime)) {
      read_runtime();
    }
    read_status();
    read_switches();
    if (!read_base()) {
      return RowOutcome::kVanished;
    }
    // Behind `stat`: what holds up all of them is then found there, and costs one thread.
    read_io();
    read_pss();
    return RowOutcome::kRow;
  }

 private:
  [[nodiscard]] bool wants(UsageField field) const { return (plan_.fields & bit(field)) != 0; }

  void have(UsageField field) {
    draft_.row.present |= bit(field);
    draft_.row.none &= ~bit(field);
  }
  void have_none(UsageField field) {
    have(field);
    draft_.row.none |= bit(field);
  }
  void fail(UsageField field, const Bytes& bytes) {
    draft_.fail(field, kind_of_errno(bytes.code), bytes.call, bytes.code);
  }
  void malformed(UsageField field) { draft_.fail(field, FaultKind::kMalformed, Call::kParse, 0); }

  RowOutcome could_not_open() {
    const int code = errno;
    if (kind_of_errno(code) == FaultKind::kGone || code == ENOTDIR) {
      return RowOutcome::kVanished;
    }
    draft_.fail_all(plan_.fields, kind_of_errno(code), Call::kOpen, code);
    return RowOutcome::kRow;
  }

  Bytes file(const char* name, Ending ending = Ending::kShortRead) {
    return thread_buffer().read_file(directory_, name, kFileLimit, ending);
  }

  /// False when the process is gone. It is read whether asked for or not: it says whether there is
  /// memory to ask about, and that the process was there all the time.
  bool read_base() {
    const Bytes bytes = file("stat");
    if (!bytes.ok()) {
      if (kind_of_errno(bytes.code) == FaultKind::kGone) {
        return false;
      }
      fail(UsageField::kBase, bytes);
      return true;
    }
    const auto stat = parse_stat(bytes.data);
    if (!stat || stat->pid != draft_.row.pid) {
      malformed(UsageField::kBase);
      return true;
    }
    has_memory_ = stat->vsize != 0;
    accept(*stat);
    if (stat->state == 'Z' && stat->threads > 1) {
      read_memory_of_task();
    }
    if (!has_memory_) {
      no_memory();
    }
    return true;
  }

  /// Of a process whose main thread has ended, its file shows no memory: the others have it still.
  void read_memory_of_task() {
    task_ = open_living_task(directory_, draft_.row.pid);
    if (!task_.valid()) {
      return;
    }
    directory_ = task_.get();
    read_status();
    const Bytes bytes = file("stat");
    const auto stat = bytes.ok() ? parse_stat(bytes.data) : std::nullopt;
    if (stat) {
      const Memory memory = units_.counters(*stat).memory;
      draft_.row.rss = exact_rss_.value_or(memory.rss);
      draft_.row.vsize = memory.vsize;
      has_memory_ = stat->vsize != 0;
    }
  }

  void accept(const ProcStat& stat) {
    UsageRow& row = draft_.row;
    const Counters counters = units_.counters(stat);
    row.ppid = counters.ppid;
    row.threads = counters.threads;
    row.state = static_cast<uint8_t>(stat.state);
    row.kernel_thread = (stat.flags & kKernelThreadFlag) != 0 ? 1 : 0;
    row.start_key = counters.start_key;
    row.user = counters.user;
    row.system = counters.system;
    row.waited_user = counters.waited_user;
    row.waited_system = counters.waited_system;
    row.minor_faults = counters.minor_faults;
    row.major_faults = counters.major_faults;
    row.waited_minor_faults = counters.waited_minor_faults;
    row.waited_major_faults = counters.waited_major_faults;
    row.rss = exact_rss_.value_or(counters.memory.rss);
    row.vsize = counters.memory.vsize;
    draft_.name = stat.comm;
    have(UsageField::kBase);
  }

  void read_runtime() {
    if (own_pids_) {
      if (const auto clock = cpu_clock_of(draft_.row.pid)) {
        draft_.row.runtime = *clock;
        draft_.row.runtime_source = static_cast<uint8_t>(RuntimeSource::kClock);
        have(UsageField::kRuntime);
        return;
      }
    }
    double sum = 0;
    const auto add = [&](const Bytes& bytes) {
      const auto nanoseconds = parse_schedstat(bytes.data);
      sum += static_cast<double>(nanoseconds.value_or(0)) / 1e6;
      return nanoseconds.has_value();
    };
    if (over_tasks(UsageField::kRuntime, "schedstat", add)) {
      draft_.row.runtime = sum;
      draft_.row.runtime_source = static_cast<uint8_t>(RuntimeSource::kThreads);
      have(UsageField::kRuntime);
    }
  }

  void read_status() {
    if (!wants(UsageField::kPeakRss) && !wants(UsageField::kSwap)) {
      return;
    }
    const Bytes bytes = file("status");
    const UsageStatus status = bytes.ok() ? parse_usage_status(bytes.data) : UsageStatus{};
    if (status.rss) {
      exact_rss_ = static_cast<double>(*status.rss);
    }
    const auto put = [&](UsageField field, double UsageRow::*member,
                         const std::optional<uint64_t>& value) {
      if (!wants(field)) {
        return;
      }
      if (!bytes.ok()) {
        fail(field, bytes);
      } else if (value) {
        draft_.row.*member = static_cast<double>(*value);
        have(field);
      } else {
        have_none(field);
      }
    };
    put(UsageField::kPeakRss, &UsageRow::peak_rss, status.peak_rss);
    put(UsageField::kSwap, &UsageRow::swap, status.swap);
  }

  void read_switches() {
    if (!wants(UsageField::kSwitches)) {
      return;
    }
    double voluntary = 0;
    double involuntary = 0;
    const auto add = [&](const Bytes& bytes) {
      const UsageStatus status = parse_usage_status(bytes.data);
      voluntary += static_cast<double>(status.voluntary.value_or(0));
      involuntary += static_cast<double>(status.involuntary.value_or(0));
      return status.voluntary && status.involuntary;
    };
    if (over_tasks(UsageField::kSwitches, "status", add)) {
      draft_.row.voluntary = voluntary;
      draft_.row.involuntary = involuntary;
      have(UsageField::kSwitches);
    }
  }

  /// Gives `add` one file of every task. A task that ends meanwhile is left out.
  template <typename F>
  bool over_tasks(UsageField field, const char* name, F add) {
    std::vector<int32_t> tasks;
    if (const int code = list_pids(directory_, "task", tasks); code != 0) {
      draft_.fail(field, kind_of_errno(code), Call::kGetdents, code);
      return false;
    }
    for (const int32_t task : tasks) {
      if (own_pids_) {
        watch_.mark(BlockClass::kNone);  // Thousands of tasks take long, and that is no stall.
      }
      const std::string path = "task/" + std::to_string(task) + "/" + name;
      const Bytes bytes = file(path.c_str());
      if (!bytes.ok()) {
        if (bytes.code == ESRCH || (bytes.code == ENOENT && task != tasks.front())) {
          continue;
        }
        // The kernel was built without it.
        const bool missing = bytes.code == ENOENT;
        draft_.fail(field, missing ? FaultKind::kUnsupported : kind_of_errno(bytes.code),
                    bytes.call, bytes.code);
        return false;
      }
      if (!add(bytes)) {
        malformed(field);
        return false;
      }
    }
    return true;
  }

  void read_io() {
    if (!wants(UsageField::kIo) || avoided(UsageField::kIo)) {
      return;
    }
    const Waiting waiting(watch_, BlockClass::kMemoryMap);
    const Bytes bytes = file("io");
    if (!bytes.ok()) {
      if (bytes.code == ENOENT) {
        draft_.fail(UsageField::kIo, FaultKind::kUnsupported, bytes.call, bytes.code);
      } else {
        fail(UsageField::kIo, bytes);
      }
      return;
    }
    const auto io = parse_io(bytes.data);
    if (!io) {
      malformed(UsageField::kIo);
      return;
    }
    UsageRow& row = draft_.row;
    row.read_chars = static_cast<double>(io->rchar);
    row.write_chars = static_cast<double>(io->wchar);
    row.read_calls = static_cast<double>(io->syscr);
    row.write_calls = static_cast<double>(io->syscw);
    row.read_bytes = static_cast<double>(io->read_bytes);
    row.write_bytes = static_cast<double>(io->write_bytes);
    row.cancelled_write_bytes = static_cast<double>(io->cancelled_write_bytes);
    have(UsageField::kIo);
  }

  void read_pss() {
    if (!wants(UsageField::kPss) || !has_memory_ || avoided(UsageField::kPss)) {
      return;
    }
    const Waiting waiting(watch_, BlockClass::kMemoryMap);
    const Bytes bytes = file("smaps_rollup");
    if (!bytes.ok()) {
      fail(UsageField::kPss, bytes);
      return;
    }
    const auto pss = parse_pss(bytes.data);
    if (!pss) {
      malformed(UsageField::kPss);
      return;
    }
    draft_.row.pss = static_cast<double>(*pss);
    have(UsageField::kPss);
  }

  void no_memory() {
    if (wants(UsageField::kPss)) {
      have_none(UsageField::kPss);
    }
  }

  bool avoided(UsageField field) {
    if (!plan_.avoid.includes(BlockClass::kMemoryMap)) {
      return false;
    }
    draft_.fail(field, plan_.avoid.why, Call::kRead, 0);
    return true;
  }

  const UsageUnits& units_;
  const bool own_pids_;
  const RowPlan& plan_;
  UsageDraft& draft_;
  Watch& watch_;
  int directory_ = -1;
  OwnedFd task_;
  bool has_memory_ = true;
  /// `stat` gives what the kernel has at hand, `status` what it adds up over all processors.
  std::optional<double> exact_rss_;
};

class LinuxUsageReader final : public UsageReader {
 public:
  explicit LinuxUsageReader(std::string root) : root_(std::move(root)) {}

  bool may_wait(FieldMask fields) const override { return !root_.live() || fields != 0; }

  Result<std::monostate> prepare(Watch& watch) override {
    Result<std::monostate> opened = root_.open(watch);
    own_pids_ = opened && root_.live() && shows_own_pids(root_.fd());
    return opened;
  }

  RowOutcome read(int32_t pid, const RowPlan& plan, UsageDraft& draft,
                  Watch& watch) const override {
    if (!root_.live() && plan.avoid.includes(BlockClass::kFileSystem)) {
      draft.start(pid);
      draft.fail_all(plan.fields, plan.avoid.why, Call::kOpen, 0);
      return RowOutcome::kRow;
    }
    const auto waiting = root_.guard(watch);
    return UsageRead(units_, own_pids_, plan, draft, watch).read(root_.fd(), pid);
  }

 private:
  ProcRoot root_;
  const UsageUnits units_;
  bool own_pids_ = false;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

std::unique_ptr<UsageReader> make_usage_reader(std::string root) {
  return std::make_unique<linux_os::LinuxUsageReader>(std::move(root));
}

}  // namespace procscope
