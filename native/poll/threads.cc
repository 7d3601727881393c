#include "poll/threads.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "platform/thread.h"

namespace procscope {

namespace {

constexpr auto kIdleLife = std::chrono::seconds(5);
constexpr size_t kMostIdle = 4;

class Pool {
 public:
  int run(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      if (idle_ > tasks_.size()) {
        tasks_.push_back(std::move(task));
        wake_.notify_one();
        return 0;
      }
    }
    return start_thread([this, task = std::move(task)]() mutable { live(std::move(task)); });
  }

 private:
  void live(std::function<void()> task) {
    for (;;) {
      task();
      task = nullptr;
      std::unique_lock lock(mutex_);
      if (idle_ >= kMostIdle) {
        return;
      }
      ++idle_;
      const bool woken = wake_.wait_for(lock, kIdleLife, [&] { return !tasks_.empty(); });
      --idle_;
      if (!woken) {
        return;
      }
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
};

}  // namespace

int run_on_thread(std::function<void()> task) {
  // Never destroyed: its threads are detached and may outlive the statics of this library.
  static auto* const pool = new Pool;
  return pool->run(std::move(task));
}

}  // namespace procscope
