#include "parse/net_inet.h"

#include <string>

#include "fuzz.h"

using procscope::SocketFamily;
using procscope::SocketKind;
using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line = procscope::fuzz::text(data, size);
  for (const SocketFamily family : {SocketFamily::kInet, SocketFamily::kInet6}) {
    for (const SocketKind kind : {SocketKind::kTcp, SocketKind::kUdp, SocketKind::kRaw}) {
      const auto socket = procscope::parse_net_inet(line, kind, family);
      if (!socket) {
        continue;
      }
      require(socket->row.state >= 1 && socket->row.state <= 13);
      require(socket->row.timer <= 4 && socket->row.local_port <= 65535);
      require(kind != SocketKind::kRaw || socket->row.local_port == 0);
      // Later kernels append columns.
      const auto again = procscope::parse_net_inet(std::string(line) + " 1", kind, family);
      require(again.has_value());
    }
  }
  return 0;
}
