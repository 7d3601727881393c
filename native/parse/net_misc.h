#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/socket.h"

namespace procscope {

/// One line of /proc/net/netlink (net/netlink/af_netlink.c, netlink_native_seq_show). Of the groups
/// it shows the first 32, kept in `groups_word`. Nothing for the heading and for other forms.
struct NetlinkLine {
  ParsedSocket socket;
  uint32_t groups_word = 0;
};
std::optional<NetlinkLine> parse_net_netlink(std::string_view line);

/// One line of /proc/net/packet (net/packet/af_packet.c, packet_seq_show).
std::optional<ParsedSocket> parse_net_packet(std::string_view line);

/// Whether /proc/net/protocols lists a protocol of this name, such as `UDP-Lite`.
bool has_protocol(std::string_view file, std::string_view name);

}  // namespace procscope
