#pragma once

#include <memory>

#include "base/result.h"
#include "platform/process_events.h"

namespace procscope::linux_os {

/// The process events connector: netlink tells of every fork, exec, rename and exit. The kernel
/// gives it in the first pid, user and network namespace only, and before Linux 6.6 only to
/// CAP_NET_ADMIN.
Result<std::unique_ptr<ProcessEvents>> open_connector();

}  // namespace procscope::linux_os
