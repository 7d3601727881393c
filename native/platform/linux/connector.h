#pragma once

#include <memory>

#include "base/result.h"
#include "platform/process_events.h"

namespace procscope::linux_os {

/// The process events connector: netlink tells of every fork, exec, rename and exit. The kernel
/// gives it to CAP_NET_ADMIN in the first pid, user and network namespace only.
Result<std::unique_ptr<ProcessEvents>> open_connector();

}  // namespace procscope::linux_os
