#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gate.h"
#include "platform/usage.h"

namespace procscope {

/// A process of a machine that a test moves by hand. Times are milliseconds.
struct FakeProcess {
  Counters counters;
  double runtime = 0;
  Memory memory;
  ProcIo io;
  bool io_denied = false;
  /// Reads wait here, if anywhere, for the test to let them go.
  std::shared_ptr<Gate> io_gate;
  std::shared_ptr<Gate> stat_gate;
  std::atomic<int> io_reads{0};
  std::vector<int32_t> children;
};

/// A machine whose processes a test starts, moves and ends.
class FakeMachine final : public UsageMachine {
 public:
  FakeProcess& start(int32_t pid, int32_t ppid, uint64_t start_key) {
    auto process = std::make_shared<FakeProcess>();
    process->counters.ppid = ppid;
    process->counters.start_key = start_key;
    process->counters.threads = 1;
    processes[pid] = process;
    if (const auto parent = processes.find(ppid); parent != processes.end()) {
      parent->second->children.push_back(pid);
    }
    ++last;
    return *process;
  }

  /// The process leaves the table; whoever waited for it gets its time.
  void end(int32_t pid, FakeProcess* waiter) {
    const FakeProcess& gone = *processes.at(pid);
    if (waiter != nullptr) {
      waiter->counters.waited_user += gone.counters.user + gone.counters.waited_user;
      waiter->counters.waited_system += gone.counters.system + gone.counters.waited_system;
      waiter->counters.waited_minor_faults +=
          gone.counters.minor_faults + gone.counters.waited_minor_faults;
      waiter->io.rchar += gone.io.rchar;
    }
    if (const auto parent = processes.find(gone.counters.ppid); parent != processes.end()) {
      std::erase(parent->second->children, pid);
    }
    processes.erase(pid);
  }

  const std::string& root() const override { return name; }
  Result<std::unique_ptr<UsageProbe>> open(int32_t pid) override;
  std::optional<int64_t> last_pid() override { return last; }
  Result<std::monostate> list(std::vector<int32_t>& pids) override {
    for (const auto& [pid, process] : processes) {
      pids.push_back(pid);
    }
    return std::monostate{};
  }
  uint64_t now_key() const override { return now; }
  double tick() const override { return 10; }

  std::map<int32_t, std::shared_ptr<FakeProcess>> processes;
  std::string name = "/fake";
  int64_t last = 0;
  uint64_t now = 1000;
  bool clocks = true;
};

class FakeProbe final : public UsageProbe {
 public:
  FakeProbe(const FakeMachine& machine, std::weak_ptr<FakeProcess> process)
      : machine_(machine), process_(std::move(process)) {}

  Result<Counters> counters() override {
    const auto process = process_.lock();
    if (const auto gate = process ? process->stat_gate : nullptr) {
      gate->wait();
    }
    return process ? Result<Counters>(process->counters) : gone();
  }
  Result<double> runtime() override {
    if (!machine_.clocks) {
      return Fault{FaultKind::kUnsupported, 0, Call::kQuery, "clock"};
    }
    const auto process = process_.lock();
    return process ? Result<double>(process->runtime) : gone();
  }
  Result<Memory> memory() override {
    const auto process = process_.lock();
    return process ? Result<Memory>(process->memory) : gone();
  }
  Result<ProcIo> io() override {
    const auto process = process_.lock();
    if (process) {
      ++process->io_reads;
    }
    if (const auto gate = process ? process->io_gate : nullptr) {
      gate->wait();
    }
    if (process && process->io_denied) {
      return Fault{FaultKind::kDenied, 13, Call::kOpen, "io"};
    }
    return process ? Result<ProcIo>(process->io) : gone();
  }
  std::string path_of(bool io) const override { return io ? "io of the fake" : "stat of the fake"; }
  void children(std::vector<int32_t>& pids) override {
    if (const auto process = process_.lock()) {
      pids.insert(pids.end(), process->children.begin(), process->children.end());
    }
  }

 private:
  static Fault gone() { return {FaultKind::kGone, 3, Call::kRead, "fake"}; }

  const FakeMachine& machine_;
  std::weak_ptr<FakeProcess> process_;
};

inline Result<std::unique_ptr<UsageProbe>> FakeMachine::open(int32_t pid) {
  const auto found = processes.find(pid);
  if (found == processes.end()) {
    return Fault{FaultKind::kGone, 2, Call::kOpen, "fake"};
  }
  return std::unique_ptr<UsageProbe>(std::make_unique<FakeProbe>(*this, found->second));
}

}  // namespace procscope
