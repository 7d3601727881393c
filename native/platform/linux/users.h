#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "platform/watch.h"

namespace procscope::linux_os {

/// The name of a user id as the system's name service knows it; empty if it knows none. Answers are
/// kept for a short while, since a directory server may be far away. getpwuid_r(3).
Result<std::string> user_name(uint32_t uid, Watch& watch);

}  // namespace procscope::linux_os
