#pragma once

#include <functional>
#include <string>

#include "model/socket.h"
#include "platform/linux/io.h"

namespace procscope::linux_os {

/// The file below /proc/net that holds a list; null where the kernel has none.
const char* file_of(const SocketList& list);

/// The name under which /proc/net/protocols has the kind and family.
const char* protocol_name(const SocketList& list);

struct ProcNetOutcome {
  int code = 0;
  Call call = Call::kNone;
  bool truncated = false;
  bool malformed = false;
};

/// Reads the list from the directory `net` and hands each socket to `take`, until that answers
/// false. Each piece that is read is a sign of life.
ProcNetOutcome read_sockets(int net, const SocketList& list,
                            const std::function<bool(const ParsedSocket&)>& take, Watch& watch);

}  // namespace procscope::linux_os
