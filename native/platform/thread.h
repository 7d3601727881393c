#pragma once

#include <functional>

namespace procscope {

/// Starts a detached thread that takes no signal of the host program. Answers 0, or the system's
/// error number when it gives no thread.
int start_thread(std::function<void()> body);

}  // namespace procscope
