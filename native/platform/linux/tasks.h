#pragma once

#include <cstdint>

#include "base/owned.h"

namespace procscope::linux_os {

/// Whether the main thread of the process with this directory has ended, though it is still listed.
/// Then the kernel also forbids its descriptors to the very user of the process.
bool main_thread_ended(int process);

/// Opens the directory of a thread that lives, other than the main one, below the directory of its
/// process. When the main thread has ended, the others hold everything, and the kernel shows it
/// below them only. Not valid where there is none, or where the main thread lives.
OwnedFd open_living_task(int process, int32_t pid);

}  // namespace procscope::linux_os
