#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "platform/watch.h"

/// Work whose calls may wait for ever, done under a deadline.
///
/// A reader thread does the work; whoever asked for it waits and looks now and then at the thread's
/// beat. A beat that stands still means that one call does not return: the thread is parked (it
/// lives until the system lets it go, and what it then finds is thrown away), the job notes the
/// fault, and a fresh thread goes on behind it. While nothing hangs this costs one hand-over.
namespace procscope {

class Lease;

class Job {
 public:
  virtual ~Job() = default;

  /// Does all that is left. Reads without the lock; publishes, and looks at what give_up() and
  /// stop_waiting() change, only inside lease.commit().
  virtual void run(Lease& lease) = 0;

  /// Under the lock: the step in progress stalled in a call of class `c`.
  virtual void give_up(BlockClass c) = 0;

  /// Under the lock: from here on nothing that can wait may be tried; what is left out for that
  /// gets a fault of this kind.
  virtual void stop_waiting(FaultKind why) = 0;

  /// Under the lock: nothing more will be read at all; what is left out gets a fault of this kind.
  virtual void abandon(FaultKind why) = 0;

  /// Under the lock: names what the step in progress waits for, so that the next job leaves it out
  /// while a thread is still parked there.
  [[nodiscard]] virtual std::string stuck_key(BlockClass c) const = 0;
};

/// The right of one thread to go on with a job, until it is taken away.
class Lease {
 public:
  explicit Lease(std::mutex& mutex) : mutex_(mutex) {}

  Watch& watch() { return watch_; }

  /// Runs `publish` under the job's lock if the lease still holds; false when it was taken away and
  /// the thread has to stop.
  template <typename F>
  bool commit(F&& publish) {
    watch_.mark(BlockClass::kNone);
    const std::lock_guard lock(mutex_);
    if (!held_) {
      return false;
    }
    publish();
    return true;
  }

 private:
  friend class Guard;

  std::mutex& mutex_;
  Watch watch_;
  bool held_ = true;
  std::string parked_key_;
};

/// Does `job` on reader threads; returns within about `deadline` of waiting. Time in which the work
/// makes progress is not counted.
void run_guarded(std::shared_ptr<Job> job, std::chrono::milliseconds deadline);

/// Does `job` on the calling thread: only for work that cannot wait.
void run_inline(Job& job);

/// Whether a thread is parked on what `key` names.
bool is_stuck(const std::string& key);
/// Whether any thread is parked: cheap, so that keys are built only then.
bool anything_stuck();
/// The key of a thread that is parked on one process of a root, whatever asked about it.
std::string stuck_key_of(const std::string& root, int32_t pid, BlockClass c);
/// Threads that are parked now.
size_t parked_threads();

/// Most threads that may be parked in this process before nothing more is tried that can wait; jobs
/// that run at that moment may add one each.
inline constexpr size_t kMostParked = 32;

}  // namespace procscope
