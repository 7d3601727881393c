#pragma once

#include <functional>

namespace procscope {

/// Starts a detached thread that takes no signal of the host program. Answers 0, or the system's
/// error number when it gives no thread.
int start_thread(std::function<void()> body);

/// Processor time of the calling thread, in milliseconds; 0 where the system does not tell.
double thread_cpu();

}  // namespace procscope
