#pragma once

#include <functional>

namespace procscope {

/// Runs `task` on a thread of our own: an idle one if there is one, else a new one. Idle threads
/// end by themselves after a few seconds. Answers 0, or the system's error number when it gives no
/// thread.
int run_on_thread(std::function<void()> task);

}  // namespace procscope
