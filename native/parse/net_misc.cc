#include "parse/net_misc.h"

#include "base/scan.h"

namespace procscope {

std::optional<NetlinkLine> parse_net_netlink(std::string_view line) {
  Scan scan(line);
  if (scan.word().empty()) {
    return std::nullopt;
  }
  const auto protocol = scan.number<uint32_t>();
  const auto port = scan.number<uint32_t>();
  const auto groups = scan.number<uint32_t>(16);
  const auto receive = scan.number<uint32_t>();
  const auto send = scan.number<uint32_t>();
  scan.word();  // a dump is under way
  scan.word();  // references
  scan.word();  // drops
  const auto inode = scan.number<uint64_t>();
  if (!protocol || !port || !groups || !receive || !send || !inode) {
    return std::nullopt;
  }
  NetlinkLine parsed;
  parsed.groups_word = *groups;
  SocketRow& row = parsed.socket.row;
  row.kind = static_cast<uint8_t>(SocketKind::kNetlink);
  row.family = static_cast<uint8_t>(SocketFamily::kNetlink);
  row.type = static_cast<uint8_t>(SocketType::kRaw);
  row.protocol = *protocol;
  row.local_port = *port;
  row.receive_queue = *receive;
  row.send_queue = *send;
  row.inode = *inode;
  row.present =
      bit(SocketField::kReceiveQueue) | bit(SocketField::kSendQueue) | bit(SocketField::kGroups);
  return parsed;
}

std::optional<ParsedSocket> parse_net_packet(std::string_view line) {
  Scan scan(line);
  if (scan.word().empty()) {
    return std::nullopt;
  }
  const auto references = scan.number<uint32_t>();
  const auto type = scan.number<uint8_t>();
  const auto protocol = scan.number<uint16_t>(16);
  const auto interface = scan.number<int32_t>();
  scan.word();  // running
  const auto receive = scan.number<uint32_t>();
  const auto uid = scan.number<uint32_t>();
  const auto inode = scan.number<uint64_t>();
  // An index below zero marks a socket whose interface has gone.
  if (!references || !type || !protocol || !interface || !receive || !uid || !inode) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.kind = static_cast<uint8_t>(SocketKind::kPacket);
  row.family = static_cast<uint8_t>(SocketFamily::kPacket);
  row.type = *type;
  row.protocol = *protocol;
  row.interface = *interface > 0 ? static_cast<uint32_t>(*interface) : 0;
  row.receive_queue = *receive;
  row.uid = *uid;
  row.inode = *inode;
  row.present =
      bit(SocketField::kReceiveQueue) | bit(SocketField::kUid) | bit(SocketField::kInterface);
  return socket;
}

bool has_protocol(std::string_view file, std::string_view name) {
  Scan scan(file);
  while (!scan.empty()) {
    if (Scan(scan.line()).word() == name) {
      return true;
    }
  }
  return false;
}

}  // namespace procscope
