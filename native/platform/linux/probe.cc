// Processes that a sampler follows: files that stay open, read again and again in place.
//
// Calls that can wait for ever (poll/follow_reads makes them, each inside a Waiting mark):
//   read of stat   the target's exec lock, held in an exec, since kernels of 2026   kMemoryMap
//   read of io     the same, on every kernel                                        kMemoryMap
// statm, children, loadavg, the list of pids and processor-time clocks wait for nobody.
#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <ctime>

#include <array>
#include <string>
#include <utility>

#include "base/scan.h"
#include "parse/stat.h"
#include "platform/linux/cpu_clock.h"
#include "platform/linux/io.h"
#include "platform/linux/kept.h"
#include "platform/usage.h"

namespace procscope::linux_os {

namespace {

/// Shared by all samplers of this program.
Budget& budget() {
  constexpr int kMost = 1024;
  static Budget shared(descriptor_budget(kMost));
  return shared;
}

std::string path_of(int32_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

Fault fault_of(const Bytes& bytes, int32_t pid, const char* name) {
  return {kind_of_errno(bytes.code), bytes.code, bytes.call, path_of(pid, name)};
}

Fault malformed(int32_t pid, const char* name) {
  return {FaultKind::kMalformed, 0, Call::kParse, path_of(pid, name)};
}

class LinuxProbe final : public UsageProbe {
 public:
  LinuxProbe(OwnedFd directory, int32_t pid, const UsageUnits& units, bool own_pids)
      : directory_(std::move(directory)),
        pid_(pid),
        children_name_("task/" + std::to_string(pid) + "/children"),
        units_(units),
        own_pids_(own_pids) {
    share_.take_anyway(budget());
  }

  Result<Counters> counters() override {
    // Memory of its own: the other calls may be made meanwhile.
    char room[4096];
    const Bytes bytes = stat_.read(directory_.get(), "stat", budget(), room, sizeof room);
    if (!bytes.ok()) {
      return fault_of(bytes, pid_, "stat");
    }
    const auto stat = parse_stat(bytes.data);
    if (!stat) {
      return malformed(pid_, "stat");
    }
    return units_.counters(*stat);
  }

  Result<double> runtime() override {
    if (!own_pids_) {
      return Fault{FaultKind::kUnsupported, 0, Call::kQuery, "processor-time clock"};
    }
    if (const auto time = cpu_clock_of(pid_)) {
      return *time;
    }
    return Fault{FaultKind::kGone, 0, Call::kQuery, "processor-time clock"};
  }

  Result<Memory> memory() override {
    const Bytes bytes = read(statm_, "statm");
    if (!bytes.ok()) {
      return fault_of(bytes, pid_, "statm");
    }
    const auto statm = parse_statm(bytes.data);
    if (!statm) {
      return malformed(pid_, "statm");
    }
    return Memory{units_.pages(statm->resident), units_.pages(statm->size)};
  }

  Result<ProcIo> io() override {
    char room[512];
    const Bytes bytes = io_.read(directory_.get(), "io", budget(), room, sizeof room);
    if (!bytes.ok()) {
      return fault_of(bytes, pid_, "io");
    }
    const auto io = parse_io(bytes.data);
    if (!io) {
      return malformed(pid_, "io");
    }
    return *io;
  }

  std::string path_of(bool io) const override {
    return linux_os::path_of(pid_, io ? "io" : "stat");
  }

  void children(std::vector<int32_t>& pids) override {
    Scan scan(read(children_, children_name_.c_str()).data);
    while (const auto pid = scan.number<int32_t>()) {
      pids.push_back(*pid);
    }
  }

 private:
  Bytes read(KeptFile& file, const char* name) {
    return file.read(directory_.get(), name, budget(), bytes_.data(), bytes_.size());
  }

  Share share_;
  OwnedFd directory_;
  const int32_t pid_;
  const std::string children_name_;
  const UsageUnits units_;
  const bool own_pids_;
  KeptFile stat_;
  KeptFile statm_;
  KeptFile io_;
  KeptFile children_;
  std::array<char, 4096> bytes_{};
};

class LinuxMachine final : public UsageMachine {
 public:
  LinuxMachine()
      : root_(::open(name_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
        own_pids_(root_.valid() && shows_own_pids(root_.get())) {}

  const std::string& root() const override { return name_; }

  Result<std::unique_ptr<UsageProbe>> open(int32_t pid) override {
    OwnedFd directory = open_directory(root_.get(), std::to_string(pid).c_str());
    if (!directory.valid()) {
      const int code = errno;
      return Fault{kind_of_errno(code), code, Call::kOpen, "/proc/" + std::to_string(pid)};
    }
    return std::unique_ptr<UsageProbe>(
        std::make_unique<LinuxProbe>(std::move(directory), pid, units_, own_pids_));
  }

  std::optional<int64_t> last_pid() override {
    if (!own_pids_) {
      return std::nullopt;
    }
    char bytes[128];
    const Bytes read = loadavg_.read(root_.get(), "loadavg", budget(), bytes, sizeof bytes);
    const auto loadavg = read.ok() ? parse_loadavg(read.data) : std::nullopt;
    return loadavg ? std::optional<int64_t>(loadavg->last_pid) : std::nullopt;
  }

  Result<std::monostate> list(std::vector<int32_t>& pids) override {
    if (const int code = list_pids(root_.get(), ".", pids); code != 0) {
      return Fault{kind_of_errno(code), code, Call::kGetdents, "/proc"};
    }
    return std::monostate{};
  }

  uint64_t now_key() const override {
    timespec up{};
    ::clock_gettime(CLOCK_BOOTTIME, &up);
    const double ms = static_cast<double>(up.tv_sec) * 1e3 + static_cast<double>(up.tv_nsec) / 1e6;
    return static_cast<uint64_t>(ms / units_.tick());
  }

  double tick() const override { return units_.tick(); }

 private:
  const std::string name_ = "/proc";
  OwnedFd root_;
  const bool own_pids_;
  const UsageUnits units_;
  KeptFile loadavg_;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

std::unique_ptr<UsageMachine> make_usage_machine() {
  return std::make_unique<linux_os::LinuxMachine>();
}

}  // namespace procscope
