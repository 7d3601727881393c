#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "poll/guard.h"

namespace procscope {

/// A gate that blocked calls wait at, until the test lets them go.
class Gate {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// Returns when no thread of the library is parked any more.
inline void wait_until_none_is_parked() {
  while (parked_threads() != 0) {
    std::this_thread::yield();
  }
}

}  // namespace procscope
