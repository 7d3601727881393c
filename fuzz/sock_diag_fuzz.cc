#include "parse/sock_diag.h"

#include <array>

#include "fuzz.h"

using procscope::SocketFamily;
using procscope::SocketKind;
using procscope::SocketList;
using procscope::fuzz::require;

namespace {

constexpr std::array kLists = {SocketList{SocketKind::kTcp, SocketFamily::kInet},
                               SocketList{SocketKind::kUdp, SocketFamily::kInet6},
                               SocketList{SocketKind::kRaw, SocketFamily::kInet},
                               SocketList{SocketKind::kUnix, SocketFamily::kUnix},
                               SocketList{SocketKind::kNetlink, SocketFamily::kNetlink},
                               SocketList{SocketKind::kPacket, SocketFamily::kPacket},
                               SocketList{SocketKind::kVsock, SocketFamily::kVsock}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view datagram = procscope::fuzz::text(data, size);
  procscope::DiagMessages messages(datagram);
  size_t bytes = 0;
  while (const auto message = messages.next()) {
    procscope::fuzz::require_inside(datagram, message->payload);
    bytes += 16 + message->payload.size();
    require(procscope::diag_error(message->payload) >= 0);
    for (const SocketList& list : kLists) {
      if (const auto socket = procscope::parse_diag(message->payload, list)) {
        procscope::fuzz::require_inside(datagram, socket->path);
        procscope::fuzz::require_inside(datagram, socket->groups);
        require(socket->row.family == static_cast<uint8_t>(list.family));
      }
    }
  }
  require(bytes <= size);
  return 0;
}
