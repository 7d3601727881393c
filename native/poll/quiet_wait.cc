#include "poll/quiet_wait.h"

#include <algorithm>
#include <utility>

#include "poll/threads.h"

namespace procscope {

using Clock = std::chrono::steady_clock;

int QuietWait::start(const std::shared_ptr<QuietWait>& wait, Rhythm rhythm,
                     std::function<bool()> quiet, std::function<void()> done) {
  return run_on_thread([wait, rhythm, quiet = std::move(quiet), done = std::move(done)] {
    wait->run(rhythm, quiet);
    done();
  });
}

void QuietWait::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wake_.notify_all();
}

void QuietWait::run(Rhythm rhythm, const std::function<bool()>& quiet) {
  const auto interval = std::chrono::duration_cast<Clock::duration>(rhythm.interval);
  Clock::time_point next = Clock::now() + std::chrono::duration_cast<Clock::duration>(rhythm.first);
  while (!stopped_before(next) && quiet()) {
    // Looks that were missed, asleep or busy, are not made up for.
    next = std::max(next + interval, Clock::now());
  }
}

bool QuietWait::stopped_before(Clock::time_point moment) {
  std::unique_lock lock(mutex_);
  return wake_.wait_until(lock, moment, [this] { return stopped_; });
}

}  // namespace procscope
