#include "parse/net_inet.h"

#include <algorithm>
#include <cstdint>

#include "base/scan.h"
#include "parse/net_address.h"

namespace procscope {

namespace {

constexpr uint32_t kMillisecondsATick = 10;
constexpr uint8_t kLastTimer = 4;
constexpr uint8_t kLastState = 13;

struct EndPoint {
  Address address{};
  uint32_t port = 0;
};

std::optional<EndPoint> parse_end(std::string_view word, size_t digits) {
  const size_t colon = word.find(':');
  if (colon != digits) {
    return std::nullopt;
  }
  const auto address = parse_hex_address(word.substr(0, colon));
  const auto port = whole_number<uint16_t>(word.substr(colon + 1), 16);
  if (!address || !port) {
    return std::nullopt;
  }
  return EndPoint{*address, *port};
}

struct Pair {
  uint32_t first = 0;
  uint32_t second = 0;
};

/// `first:second`, both hexadecimal.
std::optional<Pair> parse_pair(std::string_view word) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto first = whole_number<uint32_t>(word.substr(0, colon), 16);
  // A timer that lies far ahead or just behind may be printed with more than 32 bits.
  const auto second = whole_number<uint64_t>(word.substr(colon + 1), 16);
  if (!first || !second) {
    return std::nullopt;
  }
  return Pair{*first, static_cast<uint32_t>(std::min<uint64_t>(*second, UINT32_MAX))};
}

void put_protocol(SocketRow& row) {
  switch (static_cast<SocketKind>(row.kind)) {
    case SocketKind::kTcp:
      row.protocol = 6;
      row.type = static_cast<uint8_t>(SocketType::kStream);
      break;
    case SocketKind::kUdp:
      row.protocol = 17;
      row.type = static_cast<uint8_t>(SocketType::kDatagram);
      break;
    case SocketKind::kUdplite:
      row.protocol = 136;
      row.type = static_cast<uint8_t>(SocketType::kDatagram);
      break;
    case SocketKind::kIcmp:
      row.protocol = row.family == static_cast<uint8_t>(SocketFamily::kInet6) ? 58 : 1;
      row.type = static_cast<uint8_t>(SocketType::kDatagram);
      break;
    default:
      // A raw socket has no port; the kernel keeps its protocol in that place.
      row.protocol = row.local_port;
      row.local_port = 0;
      row.type = static_cast<uint8_t>(SocketType::kRaw);
  }
}

void put_timer(SocketRow& row, const Pair& timer, uint32_t retransmits) {
  if (static_cast<SocketKind>(row.kind) != SocketKind::kTcp || timer.first == 0) {
    return;
  }
  row.timer = static_cast<uint8_t>(timer.first);
  const uint64_t ms = uint64_t{timer.second} * kMillisecondsATick;
  row.timer_ms = static_cast<uint32_t>(std::min<uint64_t>(ms, UINT32_MAX));
  row.retransmits = static_cast<uint8_t>(std::min<uint32_t>(retransmits, UINT8_MAX));
}

}  // namespace

std::optional<ParsedSocket> parse_net_inet(std::string_view line, SocketKind kind,
                                           SocketFamily family) {
  const size_t digits = family == SocketFamily::kInet6 ? 32 : 8;
  Scan scan(line);
  if (!scan.word().ends_with(':')) {
    return std::nullopt;
  }
  const auto local = parse_end(scan.word(), digits);
  const auto remote = parse_end(scan.word(), digits);
  const auto state = scan.number<uint8_t>(16);
  const auto queues = parse_pair(scan.word());
  const auto timer = parse_pair(scan.word());
  const auto retransmits = scan.number<uint32_t>(16);
  const auto uid = scan.number<uint32_t>();
  scan.word();  // probes, or a timeout that is always 0
  const auto inode = scan.number<uint64_t>();
  if (!local || !remote || !state || !queues || !timer || !retransmits || !uid || !inode ||
      *state == 0 || *state > kLastState || timer->first > kLastTimer) {
    return std::nullopt;
  }
  ParsedSocket socket;
  socket.local = local->address;
  socket.remote = remote->address;
  SocketRow& row = socket.row;
  row.kind = static_cast<uint8_t>(kind);
  row.family = static_cast<uint8_t>(family);
  row.state = *state;
  row.local_port = local->port;
  row.remote_port = remote->port;
  row.send_queue = queues->first;
  row.receive_queue = queues->second;
  row.uid = *uid;
  row.inode = *inode;
  row.present = bit(SocketField::kState) | bit(SocketField::kReceiveQueue) |
                bit(SocketField::kUid) | bit(SocketField::kTimer);
  const bool listens = kind == SocketKind::kTcp && row.state == kSocketListen;
  row.present |= listens ? 0 : bit(SocketField::kSendQueue);
  put_protocol(row);
  put_timer(row, *timer, *retransmits);
  row.v4_mapped = family == SocketFamily::kInet6 && is_v4_mapped(socket.local) ? 1 : 0;
  return socket;
}

bool has_no_remote(const ParsedSocket& socket) {
  return socket.row.remote_port == 0 && is_unspecified(socket.remote);
}

}  // namespace procscope
