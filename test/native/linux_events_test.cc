// The counter of ids and the pidfds of this machine, and a poller that lives on them alone.
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "poll/poller.h"

namespace procscope {

namespace {

/// A child that waits for its end, and is reaped with its owner.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) {
        ::pause();
      }
    }
    REQUIRE(pid_ > 0);
  }
  ~Child() {
    end();
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] int32_t pid() const { return pid_; }
  /// Ends it; it stays a zombie.
  void end() const {
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }

 private:
  const pid_t pid_;
};

bool has(const std::vector<int32_t>& pids, int32_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

std::unique_ptr<ProcessEvents> pidfd_events(Budget& budget) {
  auto events = make_process_events("/proc", EventSource::kPidfd, budget);
  if (events->source() != EventSource::kPidfd) {
    MESSAGE("skipped: this machine gives no counter of ids or no pidfd");
    return nullptr;
  }
  return events;
}

/// A poller whose lists and turns have no age: what the kernel does not tell, it never sees.
class Follower {
 public:
  Follower() : poller_(request()) { poll(); }

  void poll() {
    const PollDelta delta = poller_.poll();
    REQUIRE_FALSE(delta.failed);
    for (const int32_t pid : delta.exited) {
      pids_.erase(pid);
    }
    for (const ProcessRow& row : delta.rows.rows) {
      pids_.insert(row.pid);
    }
  }
  [[nodiscard]] bool shows(int32_t pid) const { return pids_.contains(pid); }
  [[nodiscard]] const Poller& poller() const { return poller_; }

 private:
  static PollRequest request() {
    PollRequest request;
    request.fields = kStatFields;
    request.events = EventSource::kPidfd;
    request.descriptors = usual_descriptor_budget();
    return request;
  }

  Poller poller_;
  std::set<int32_t> pids_;
};

}  // namespace

TEST_CASE("linux events: holds of a process, a thread, nobody; and no room") {
  Budget budget(1);
  const auto events = pidfd_events(budget);
  if (events == nullptr) {
    return;
  }
  std::unique_ptr<ProcessHold> hold;
  const Child child;
  std::atomic<int32_t> tid{0};
  std::atomic<bool> over{false};
  std::thread thread([&] {
    tid = static_cast<int32_t>(::gettid());
    tid.notify_one();
    over.wait(false);
  });
  tid.wait(0);
  CHECK(events->hold(tid, hold) == HoldOutcome::kThread);
  over = true;
  over.notify_one();
  thread.join();
  CHECK(budget.taken() == 0);
  CHECK(events->hold(child.pid(), hold) == HoldOutcome::kHeld);
  CHECK(budget.taken() == 1);
  std::unique_ptr<ProcessHold> another;
  CHECK(events->hold(::getpid(), another) == HoldOutcome::kRefused);
  CHECK(another == nullptr);

  std::vector<int32_t> ended;
  events->take_ended(ended);
  CHECK(ended.empty());
  child.end();
  events->take_ended(ended);
  CHECK(ended == std::vector<int32_t>{child.pid()});
  hold.reset();
  CHECK(budget.taken() == 0);
}

TEST_CASE(
    "linux events: the end of what is held no longer is not told, whoever has the descriptor") {
  Budget budget(10);
  const auto events = pidfd_events(budget);
  if (events == nullptr) {
    return;
  }
  std::unique_ptr<ProcessHold> hold;
  const Child child;
  REQUIRE(events->hold(child.pid(), hold) == HoldOutcome::kHeld);
  const Child with_the_descriptor;
  child.end();
  ProcessNews news;
  events->take(news, 0);
  CHECK(has(news.ended, child.pid()));
  hold.reset();
  events->take(news, 0);
  CHECK(news.ended.empty());
}

TEST_CASE("linux events: more ends at once than one batch holds") {
  constexpr size_t kMany = 150;
  Budget budget(kMany);
  const auto events = pidfd_events(budget);
  if (events == nullptr) {
    return;
  }
  std::vector<std::unique_ptr<Child>> children;
  std::vector<std::unique_ptr<ProcessHold>> holds(kMany);
  for (auto& hold : holds) {
    children.push_back(std::make_unique<Child>());
    REQUIRE(events->hold(children.back()->pid(), hold) == HoldOutcome::kHeld);
  }
  for (const auto& child : children) {
    child->end();
  }
  std::vector<int32_t> ended;
  events->take_ended(ended);
  CHECK(std::set<int32_t>(ended.begin(), ended.end()).size() == kMany);
  CHECK(ended.size() == kMany);
}

TEST_CASE(
    "linux events: a poller sees each fork and each end in the next poll, however they meet") {
  Follower follower;
  if (follower.poller().source() != EventSource::kPidfd) {
    MESSAGE("skipped: this machine gives no counter of ids or no pidfd");
    return;
  }
  constexpr int kForks = 300;
  // Polls are under way while forks are: an id is counted before its process can be seen.
  std::atomic<int32_t> born{0};
  std::atomic<int32_t> dead{0};
  std::atomic<bool> over{false};
  std::thread forks([&] {
    for (int i = 0; i < kForks; ++i) {
      const Child child;
      born = child.pid();
      born.wait(child.pid());
      child.end();
      dead = child.pid();
      dead.wait(child.pid());
    }
    over = true;
  });
  int missed = 0;
  int late = 0;
  while (!over) {
    const int32_t alive = born;
    const int32_t ended = dead;
    follower.poll();
    if (alive != 0) {
      missed += follower.shows(alive) ? 0 : 1;
      born = 0;
      born.notify_one();
    }
    if (ended != 0) {
      late += follower.shows(ended) ? 1 : 0;
      dead = 0;
      dead.notify_one();
    }
  }
  forks.join();
  CHECK(missed == 0);
  CHECK(late == 0);
}

}  // namespace procscope
