#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/socket.h"
#include "platform/sockets.h"

namespace procscope {

struct SocketsRequest {
  SocketQuery query;
  /// Find who holds the sockets.
  bool owners = true;
  /// Only sockets that one of these processes holds, and only these are looked at.
  bool only = false;
  std::vector<int32_t> pids;
  size_t most_rows = 0;
  std::chrono::milliseconds deadline{1000};
};

/// Lists the sockets once, then looks once at the descriptors of the processes. Never throws for
/// what the system answers.
SocketTable take_sockets(const SocketsRequest& request);

/// The same with a reader of the caller's own: for tests that need one which stalls at will.
SocketTable take_sockets(const SocketsRequest& request, std::shared_ptr<SocketReader> reader);

}  // namespace procscope
