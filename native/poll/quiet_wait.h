#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

/// Waits as long as nothing happens, on a thread of its own: whoever looks often and mostly finds
/// nothing then need not wake up for each look.
namespace procscope {

class QuietWait {
 public:
  using Milliseconds = std::chrono::duration<double, std::milli>;
  struct Rhythm {
    Milliseconds first;
    Milliseconds interval;
  };

  /// Asks `quiet` after `first`, then each `interval`, until it answers false or stop() is called;
  /// then calls `done`, once. Both are called on that thread. Answers 0, or the system's error
  /// number when it gives no thread; then neither is called.
  static int start(const std::shared_ptr<QuietWait>& wait, Rhythm rhythm,
                   std::function<bool()> quiet, std::function<void()> done);

  /// Ends the wait now; from any thread, also before it began and after it ended.
  void stop();

 private:
  void run(Rhythm rhythm, const std::function<bool()>& quiet);
  bool stopped_before(std::chrono::steady_clock::time_point moment);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
};

}  // namespace procscope
