#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "model/socket.h"

namespace procscope::linux_os {

/// How a dump of NETLINK_SOCK_DIAG went.
struct DiagOutcome {
  int code = 0;
  FaultKind kind = FaultKind::kNone;
  /// The kernel says that the list may be wrong, because it changed meanwhile.
  bool interrupted = false;
  /// Messages that could not be understood were left out.
  bool malformed = false;
};

/// Asks the kernel for all sockets of a list and hands each to `take`, until that answers false.
/// Waits at most `deadline_ms` for each part of the answer.
DiagOutcome dump_sockets(const SocketList& list, uint32_t states, int32_t deadline_ms,
                         const std::function<bool(const ParsedSocket&)>& take);

}  // namespace procscope::linux_os
