#pragma once

#include <cstdint>

#include "base/owned.h"

namespace procscope::linux_os {

/// Opens the directory of a thread that lives, other than the main one, below the directory of its
/// process. When the main thread has ended, the others hold everything, and the kernel shows it
/// below them only. Not valid where there is none.
OwnedFd open_living_task(int process, int32_t pid);

}  // namespace procscope::linux_os
