// The process table of Linux, from procfs.
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <cerrno>
#include <ctime>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "parse/links.h"
#include "parse/tty.h"
#include "platform/linux/kept.h"
#include "platform/linux/proc_row.h"
#include "platform/linux/root.h"
#include "platform/reader.h"

namespace procscope::linux_os {

namespace {

/// PROC_SUPER_MAGIC in linux/magic.h.
constexpr long kProcMagic = 0x9fa0;
constexpr size_t kSmallFileLimit = 1 << 20;

/// Milliseconds since the epoch at the moment of boot. The difference of two clocks is finer than
/// the whole seconds of /proc/stat, and right after the wall clock was set.
double boot_time_of_this_machine() {
  timespec now{};
  timespec up{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto milliseconds = [](const timespec& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
  };
  // The two clocks are read a moment apart, so finer than this is noise.
  return std::round(milliseconds(now) - milliseconds(up));
}

/// Now, in the unit and from the origin of field 22 of `stat` (start_boottime, rounded down).
uint64_t ticks_since_boot(int64_t ticks_per_second) {
  timespec up{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  constexpr int64_t kNanoseconds = 1'000'000'000;
  return static_cast<uint64_t>(up.tv_sec * ticks_per_second +
                               up.tv_nsec / (kNanoseconds / ticks_per_second));
}

/// The boot time as it was first seen, until the wall clock is set: two looks at one process give
/// one start time although the clocks are read a moment apart.
double steady_boot_time() {
  static std::mutex mutex;
  static double kept = 0;
  constexpr double kTolerance = 10;  // One clock tick, the grain of what is added to it.
  const double now = boot_time_of_this_machine();
  const std::lock_guard lock(mutex);
  if (now - kept > kTolerance || kept - now > kTolerance) {
    kept = now;
  }
  return kept;
}

/// A thread reads many rows, so its buffer is kept as long as it lives.
Buffer& thread_buffer() {
  thread_local Buffer buffer;
  return buffer;
}

/// `stat` of one process. What is open answers for the process that it was opened of, and for no
/// other that gets the pid.
class LinuxKeptRow final : public KeptRow {
 public:
  explicit LinuxKeptRow(int32_t pid) : pid_(pid) {
    char* const end = std::to_chars(name_, name_ + sizeof name_, pid).ptr;
    std::memcpy(end, "/stat", sizeof "/stat");
  }

  [[nodiscard]] int32_t pid() const { return pid_; }
  Bytes read(int root, Budget& budget, std::array<char, 4096>& into) {
    return stat_.read(root, name_, budget, into.data(), into.size());
  }

 private:
  const int32_t pid_;
  char name_[24];
  KeptFile stat_;
};

class LinuxReader final : public Reader {
 public:
  explicit LinuxReader(ReaderOptions options) : options_(std::move(options)), root_(options_.root) {
    context_.options = &options_;
    context_.live = root_.live();
    context_.ticks_per_second = ::sysconf(_SC_CLK_TCK);
    context_.page_size = ::sysconf(_SC_PAGESIZE);
    context_.tty_name = [this](uint32_t device) { return name_of_tty(device); };
  }

  FieldMask supported() const override { return kAllFields; }

  bool may_wait(FieldMask fields) const override { return !context_.live || fields != 0; }

  Result<std::monostate> prepare(Watch& watch) override {
    Result<std::monostate> opened = root_.open(watch);
    if (opened) {
      const auto waiting = root_.guard(watch);
      context_.root = root_.fd();
      context_.recorded = root_.recorded();
      read_boot();
    }
    return opened;
  }

  const std::string& boot_id() const override { return boot_id_; }

  Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const override {
    return root_.list(pids, watch);
  }

  RowOutcome read(int32_t pid, const RowPlan& plan, RowDraft& draft, Watch& watch) const override {
    const auto waiting = root_.guard(watch);
    const RowOutcome outcome = ProcRow(context_, pid, plan, draft, watch, thread_buffer()).read();
    thread_buffer().shrink();
    return outcome;
  }

  std::unique_ptr<KeptRow> keep(int32_t pid) const override {
    return std::make_unique<LinuxKeptRow>(pid);
  }

  RowOutcome glance(KeptRow& kept, FieldMask fields, Budget& budget,
                    RowDraft& draft) const override {
    auto& row = static_cast<LinuxKeptRow&>(kept);
    draft.start(row.pid());
    std::array<char, 4096> bytes{};
    const Bytes read = row.read(context_.root, budget, bytes);
    if (!read.ok()) {
      const FaultKind kind = kind_of_errno(read.code);
      draft.fail(fields & kStatFields, kind, read.call, read.code);
      return kind == FaultKind::kGone ? RowOutcome::kVanished : RowOutcome::kRow;
    }
    const auto stat = parse_stat(read.data);
    if (!stat || stat->pid != row.pid()) {
      draft.fail(fields & kStatFields, FaultKind::kMalformed, Call::kParse, 0);
      return RowOutcome::kRow;
    }
    put_stat(context_, *stat, fields, draft);
    draft.image = image_of(read.data);
    return RowOutcome::kRow;
  }

  std::string path_of(int32_t pid, Field field) const override {
    return root_.path() + "/" + std::to_string(pid) + "/" + file_of(field);
  }

 private:
  static const char* file_of(Field field) {
    switch (field) {
      case Field::kArgv:
        return "cmdline";
      case Field::kExe:
      case Field::kExeFile:
        return "exe";
      case Field::kCwd:
        return "cwd";
      case Field::kRoot:
        return "root";
      case Field::kPidNamespace:
        return "ns/pid";
      case Field::kCgroup:
        return "cgroup";
      case Field::kEnv:
        return "environ";
      default:
        return (bit(field) & kStatFields) != 0 ? "stat" : "status";
    }
  }

  void read_boot() {
    Buffer& buffer = thread_buffer();
    const Bytes id = buffer.read_file(context_.root, "sys/kernel/random/boot_id", kSmallFileLimit,
                                      Ending::kShortRead);
    if (id.ok()) {
      boot_id_ = parse_boot_id(id.data).value_or(std::string_view{});
    }
    if (context_.live) {
      context_.boot_time = steady_boot_time();
      context_.boot_ticks = ticks_since_boot(context_.ticks_per_second);
      return;
    }
    const Bytes stat = buffer.read_file(context_.root, "stat", kSmallFileLimit, Ending::kEmptyRead);
    if (const auto seconds = stat.ok() ? parse_btime(stat.data) : std::nullopt) {
      context_.boot_time = static_cast<double>(*seconds) * 1e3;
    }
  }

  std::string name_of_tty(uint32_t device) const {
    std::string name = procscope::tty_name(device, {});
    if (device == 0 || name.starts_with("pts/")) {
      return name;
    }
    std::call_once(drivers_read_, [&] {
      Buffer buffer;  // The thread's own still holds the row that asks.
      const Bytes bytes =
          buffer.read_file(context_.root, "tty/drivers", kSmallFileLimit, Ending::kEmptyRead);
      if (bytes.ok()) {
        drivers_ = parse_tty_drivers(bytes.data);
      }
    });
    return procscope::tty_name(device, drivers_);
  }

  ReaderOptions options_;
  RowContext context_;
  ProcRoot root_;
  std::string boot_id_;
  mutable std::once_flag drivers_read_;
  mutable std::vector<TtyDriver> drivers_;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

double uptime_ms() {
  timespec up{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  return static_cast<double>(up.tv_sec) * 1e3 + static_cast<double>(up.tv_nsec) / 1e6;
}

std::unique_ptr<Reader> make_reader(ReaderOptions options) {
  return std::make_unique<linux_os::LinuxReader>(std::move(options));
}

}  // namespace procscope
