#include "parse/net_misc.h"

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line = procscope::fuzz::text(data, size);
  if (const auto parsed = procscope::parse_net_netlink(line)) {
    require((parsed->socket.row.present & bit(procscope::SocketField::kState)) == 0);
  }
  if (const auto socket = procscope::parse_net_packet(line)) {
    require(socket->row.protocol <= 65535);
  }
  require(!procscope::has_protocol(line, "not in any list of any kernel") ||
          line.find("not in any list") != std::string_view::npos);
  return 0;
}
