#include "poll/guard.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "poll/threads.h"

namespace procscope {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Shorter than this, a busy machine looks like a hung one.
constexpr milliseconds kLeastPatience{25};
constexpr int kPatienceParts = 20;

/// What threads are parked on, in the whole process.
class Parked {
 public:
  void add(const std::string& key) {
    const std::lock_guard lock(mutex_);
    ++keys_[key];
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  void remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto it = keys_.find(key);
    if (it != keys_.end() && --it->second == 0) {
      keys_.erase(it);
    }
    // Whoever then sees that nothing is parked may use what the thread used.
    count_.fetch_sub(1, std::memory_order_release);
  }
  bool has(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return keys_.contains(key);
  }
  [[nodiscard]] size_t count() const { return count_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;
  std::map<std::string, int> keys_;
  std::atomic<size_t> count_{0};
};

// Never destroyed: a parked thread may come back while the process ends.
Parked& parked() {
  static auto* const instance = new Parked;
  return *instance;
}

}  // namespace

/// Shared by the one who waits and the threads that read; lives as long as the last of them.
class Guard : public std::enable_shared_from_this<Guard> {
 public:
  explicit Guard(std::shared_ptr<Job> job) : job_(std::move(job)) {}

  void run(milliseconds deadline) {
    std::unique_lock lock(mutex_);
    milliseconds budget = deadline;
    bool last_try = parked().count() >= kMostParked;
    if (last_try) {
      job_->stop_waiting(FaultKind::kLimit);
    }
    start_or_run_here(lock);
    while (!done_) {
      // Where one call hung, the next may well: it gets a smaller part of the time, so that many
      // can be told from what is healthy behind them.
      const milliseconds first = budget == deadline ? deadline / 2 : deadline / kPatienceParts;
      const milliseconds patience =
          last_try ? deadline : std::max(std::min(first, budget), kLeastPatience);
      const std::optional<BlockClass> stall = wait_for_stall(lock, patience);
      if (!stall) {
        break;
      }
      if (last_try) {
        take_away(*stall);
        job_->abandon(FaultKind::kTimeout);
        job_.reset();
        return;
      }
      budget -= patience;
      take_away(*stall);
      const bool late = budget < kLeastPatience;
      if (late || parked().count() >= kMostParked) {
        job_->stop_waiting(late ? FaultKind::kTimeout : FaultKind::kLimit);
        last_try = true;
      }
      start_or_run_here(lock);
    }
    lease_->held_ = false;
    // The thread that finished still holds this guard for a moment, and must not be the one to give
    // back what the job keeps: whoever waited may count descriptors right after.
    job_.reset();
  }

  static void run_here(Job& job) {
    std::mutex mutex;
    Lease lease(mutex);
    job.run(lease);
  }

 private:
  /// Memory that runs out in the middle costs the rest of the answer and not the host program.
  static void run_caught(Job& job, Lease& lease) {
    try {
      job.run(lease);
    } catch (const std::exception&) {
      try {
        lease.commit([&] { job.abandon(FaultKind::kLimit); });
      } catch (const std::exception&) {
        // Not even room to say so: what was read stands.
      }
    }
  }

  /// Hands the job to a thread; where the system gives none, does on this one what cannot wait.
  void start_or_run_here(std::unique_lock<std::mutex>& lock) {
    lease_ = std::make_shared<Lease>(mutex_);
    const int code =
        run_on_thread([self = shared_from_this(), job = job_, lease = lease_]() mutable {
          run_caught(*job, *lease);
          job.reset();
          self->finished(*lease);
        });
    if (code != 0) {
      job_->stop_waiting(FaultKind::kLimit);
      lock.unlock();
      run_caught(*job_, *lease_);
      lock.lock();
      done_ = true;
    }
  }

  void finished(Lease& lease) {
    const std::lock_guard lock(mutex_);
    if (lease.held_) {
      done_ = true;
      changed_.notify_all();
    } else if (!lease.parked_key_.empty()) {
      parked().remove(lease.parked_key_);
    }
  }

  /// The class of the call in which the reader's beat has stood still for `patience`; nothing when
  /// the job is done.
  std::optional<BlockClass> wait_for_stall(std::unique_lock<std::mutex>& lock,
                                           milliseconds patience) {
    uint64_t beat = lease_->watch_.beat();
    Clock::time_point since = Clock::now();
    for (;;) {
      if (changed_.wait_for(lock, patience / 4, [&] { return done_; })) {
        return std::nullopt;
      }
      const uint64_t now_beat = lease_->watch_.beat();
      const Clock::time_point now = Clock::now();
      if (now_beat != beat) {
        beat = now_beat;
        since = now;
      } else if (now - since >= patience) {
        return Watch::class_of(beat);
      }
    }
  }

  /// Parks the thread that reads now and lets the job note what it was about.
  void take_away(BlockClass c) {
    lease_->held_ = false;
    lease_->parked_key_ = job_->stuck_key(c);
    parked().add(lease_->parked_key_);
    job_->give_up(c);
  }

  std::shared_ptr<Job> job_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Lease> lease_;
  bool done_ = false;
};

void run_guarded(std::shared_ptr<Job> job, milliseconds deadline) {
  std::make_shared<Guard>(std::move(job))->run(deadline);
}

void run_inline(Job& job) { Guard::run_here(job); }

bool is_stuck(const std::string& key) { return parked().has(key); }
bool anything_stuck() { return parked().count() != 0; }
std::string stuck_key_of(const std::string& root, int32_t pid, BlockClass c) {
  return root + ":" + std::to_string(pid) + ":" + std::to_string(static_cast<int>(c));
}

size_t parked_threads() { return parked().count(); }

}  // namespace procscope
