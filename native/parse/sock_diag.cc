#include "parse/sock_diag.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "parse/net_address.h"

namespace procscope {

namespace {

constexpr size_t kHeaderBytes = 16;
constexpr uint16_t kRequestDump = 0x0001 | 0x0300;
constexpr uint8_t kLastTimer = 4;

constexpr size_t align4(size_t n) { return (n + 3) & ~size_t{3}; }

/// Numbers in the byte order of the machine, and of the network; 0 past the end. Callers check the
/// length of the fixed part first.
template <typename T>
T number_at(std::string_view bytes, size_t at) {
  T value{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
  }
  return value;
}

uint32_t port_at(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(number_at<uint8_t>(bytes, at)) << 8 |
         number_at<uint8_t>(bytes, at + 1);
}

Address address_at(std::string_view bytes, size_t at, SocketFamily family) {
  Address address{};
  const size_t size = family == SocketFamily::kInet6 ? address.size() : 4;
  if (at <= bytes.size() && bytes.size() - at >= size) {
    std::memcpy(address.data(), bytes.data() + at, size);
  }
  return address;
}

/// Calls `take(type, value)` for each attribute (struct nlattr: length with its own four bytes,
/// then the type), up to one whose length leads out of the bytes.
template <typename Take>
void each_attribute(std::string_view bytes, Take take) {
  constexpr size_t kHead = 4;
  constexpr uint16_t kTypeMask = 0x3fff;
  while (bytes.size() >= kHead) {
    const size_t length = number_at<uint16_t>(bytes, 0);
    if (length < kHead || length > bytes.size()) {
      return;
    }
    take(static_cast<uint16_t>(number_at<uint16_t>(bytes, 2) & kTypeMask),
         bytes.substr(kHead, length - kHead));
    bytes.remove_prefix(std::min(align4(length), bytes.size()));
  }
}

/// The bytes that wait in both directions, from an attribute that holds them at these places.
void put_queues(SocketRow& row, std::string_view value, size_t receive, size_t send) {
  if (value.size() >= send + sizeof(uint32_t)) {
    row.receive_queue = number_at<uint32_t>(value, receive);
    row.send_queue = number_at<uint32_t>(value, send);
    row.present |= bit(SocketField::kReceiveQueue) | bit(SocketField::kSendQueue);
  }
}

void put_user(SocketRow& row, std::string_view value) {
  if (value.size() >= sizeof(uint32_t)) {
    row.uid = number_at<uint32_t>(value, 0);
    row.present |= bit(SocketField::kUid);
  }
}

std::string_view after(std::string_view bytes, size_t at) {
  return bytes.substr(std::min(at, bytes.size()));
}

uint8_t protocol_of(const SocketList& list) {
  switch (list.kind) {
    case SocketKind::kTcp:
      return 6;
    case SocketKind::kUdp:
      return 17;
    case SocketKind::kUdplite:
      return 136;
    case SocketKind::kIcmp:
      return list.family == SocketFamily::kInet6 ? 58 : 1;
    default:
      return 255;  // IPPROTO_RAW: raw sockets of every protocol.
  }
}

SocketType type_of(SocketKind kind) {
  switch (kind) {
    case SocketKind::kTcp:
      return SocketType::kStream;
    case SocketKind::kRaw:
      return SocketType::kRaw;
    default:
      return SocketType::kDatagram;
  }
}

/// struct inet_diag_msg.
std::optional<ParsedSocket> parse_inet(std::string_view bytes, const SocketList& list) {
  constexpr size_t kSize = 72;
  constexpr uint16_t kProtocolAttribute = 16;
  if (bytes.size() < kSize) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.type = static_cast<uint8_t>(type_of(list.kind));
  row.protocol = protocol_of(list);
  row.state = number_at<uint8_t>(bytes, 1);
  row.timer = number_at<uint8_t>(bytes, 2);
  row.retransmits = number_at<uint8_t>(bytes, 3);
  row.local_port = port_at(bytes, 4);
  row.remote_port = port_at(bytes, 6);
  socket.local = address_at(bytes, 8, list.family);
  socket.remote = address_at(bytes, 24, list.family);
  row.interface = number_at<uint32_t>(bytes, 40);
  row.timer_ms = number_at<uint32_t>(bytes, 52);
  row.receive_queue = number_at<uint32_t>(bytes, 56);
  row.send_queue = number_at<uint32_t>(bytes, 60);
  row.uid = number_at<uint32_t>(bytes, 64);
  row.inode = number_at<uint32_t>(bytes, 68);
  row.present = bit(SocketField::kState) | bit(SocketField::kReceiveQueue) |
                bit(SocketField::kSendQueue) | bit(SocketField::kUid) |
                bit(SocketField::kInterface) | bit(SocketField::kTimer);
  if (list.kind != SocketKind::kTcp || row.timer > kLastTimer) {
    row.timer = 0;
  }
  if (row.timer == 0) {
    row.timer_ms = 0;
    row.retransmits = 0;
  }
  if (list.kind == SocketKind::kRaw) {
    row.protocol = row.local_port;
    row.local_port = 0;
    each_attribute(after(bytes, kSize), [&](uint16_t type, std::string_view value) {
      if (type == kProtocolAttribute) {
        row.protocol = number_at<uint8_t>(value, 0);
      }
    });
  }
  row.v4_mapped = list.family == SocketFamily::kInet6 && is_v4_mapped(socket.local) ? 1 : 0;
  return socket;
}

/// struct unix_diag_msg.
std::optional<ParsedSocket> parse_unix(std::string_view bytes) {
  constexpr size_t kSize = 16;
  enum Attribute : uint16_t { kName = 0, kPeerInode = 2, kQueues = 4, kUser = 7 };
  if (bytes.size() < kSize) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.type = number_at<uint8_t>(bytes, 1);
  row.state = number_at<uint8_t>(bytes, 2);
  row.inode = number_at<uint32_t>(bytes, 4);
  // A socket without a peer has no such attribute.
  row.present = bit(SocketField::kState) | bit(SocketField::kPeer);
  each_attribute(after(bytes, kSize), [&](uint16_t type, std::string_view value) {
    if (type == kName) {
      const bool is_file = !value.empty() && value.front() != '\0';
      // A path ends with its NUL; in an abstract name every byte counts.
      socket.path = is_file ? value.substr(0, value.find('\0')) : value;
    } else if (type == kPeerInode) {
      row.peer = number_at<uint32_t>(value, 0);
    } else if (type == kQueues) {
      put_queues(row, value, 0, 4);
    } else if (type == kUser) {
      put_user(row, value);
    }
  });
  return socket;
}

/// struct netlink_diag_msg.
std::optional<ParsedSocket> parse_netlink(std::string_view bytes) {
  constexpr size_t kSize = 28;
  enum Attribute : uint16_t { kMemory = 0, kGroups = 1 };
  if (bytes.size() < kSize) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.type = number_at<uint8_t>(bytes, 1);
  row.protocol = number_at<uint8_t>(bytes, 2);
  row.state = number_at<uint8_t>(bytes, 3);
  row.local_port = number_at<uint32_t>(bytes, 4);
  row.remote_port = number_at<uint32_t>(bytes, 8);
  row.inode = number_at<uint32_t>(bytes, 16);
  // A socket that never joined a group has no bitmap.
  row.present = bit(SocketField::kState) | bit(SocketField::kGroups);
  each_attribute(after(bytes, kSize), [&](uint16_t type, std::string_view value) {
    if (type == kMemory) {
      put_queues(row, value, 0, 8);
    } else if (type == kGroups) {
      socket.groups = value;
    }
  });
  return socket;
}

/// struct packet_diag_msg.
std::optional<ParsedSocket> parse_packet(std::string_view bytes) {
  constexpr size_t kSize = 16;
  enum Attribute : uint16_t { kInfo = 0, kUser = 5, kMemory = 6 };
  if (bytes.size() < kSize) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.type = number_at<uint8_t>(bytes, 1);
  row.protocol = number_at<uint16_t>(bytes, 2);
  row.inode = number_at<uint32_t>(bytes, 4);
  each_attribute(after(bytes, kSize), [&](uint16_t type, std::string_view value) {
    if (type == kInfo && value.size() >= 4) {
      const auto index = number_at<int32_t>(value, 0);
      row.interface = index > 0 ? static_cast<uint32_t>(index) : 0;
      row.present |= bit(SocketField::kInterface);
    } else if (type == kUser) {
      put_user(row, value);
    } else if (type == kMemory) {
      put_queues(row, value, 0, 8);
    }
  });
  return socket;
}

/// struct vsock_diag_msg. The context ids stand where other kinds have addresses.
std::optional<ParsedSocket> parse_vsock(std::string_view bytes) {
  constexpr size_t kSize = 32;
  if (bytes.size() < kSize) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.type = number_at<uint8_t>(bytes, 1);
  row.state = number_at<uint8_t>(bytes, 2);
  std::memcpy(socket.local.data(), bytes.data() + 4, sizeof(uint32_t));
  row.local_port = number_at<uint32_t>(bytes, 8);
  std::memcpy(socket.remote.data(), bytes.data() + 12, sizeof(uint32_t));
  row.remote_port = number_at<uint32_t>(bytes, 16);
  row.inode = number_at<uint32_t>(bytes, 20);
  row.present = bit(SocketField::kState);
  return socket;
}

std::optional<ParsedSocket> parse_body(std::string_view payload, const SocketList& list) {
  switch (list.family) {
    case SocketFamily::kInet:
    case SocketFamily::kInet6:
      return parse_inet(payload, list);
    case SocketFamily::kUnix:
      return parse_unix(payload);
    case SocketFamily::kNetlink:
      return parse_netlink(payload);
    case SocketFamily::kPacket:
      return parse_packet(payload);
    case SocketFamily::kVsock:
      return parse_vsock(payload);
  }
  return std::nullopt;
}

/// Bytes of a request, field by field.
class Bytes {
 public:
  template <typename T>
  Bytes& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& zeros(size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::string request_body(const SocketList& list, uint32_t states) {
  constexpr uint32_t kUnixShow = 0x01 | 0x04 | 0x10 | 0x40;  // name, peer, queues, uid
  constexpr uint32_t kNetlinkShow = 0x01 | 0x02;             // memory, groups
  constexpr uint32_t kPacketShow = 0x01 | 0x10;              // info, memory
  constexpr uint8_t kEveryProtocol = 255;
  constexpr size_t kCookie = 8;
  constexpr size_t kSocketId = 48;
  Bytes body;
  body.put(static_cast<uint8_t>(list.family));
  switch (list.family) {
    case SocketFamily::kInet:
    case SocketFamily::kInet6:
      body.put(protocol_of(list)).zeros(2).put(states).zeros(kSocketId);
      break;
    case SocketFamily::kUnix:
      body.zeros(3).put(states).put(uint32_t{0}).put(kUnixShow).zeros(kCookie);
      break;
    case SocketFamily::kNetlink:
      body.put(kEveryProtocol).zeros(2).put(uint32_t{0}).put(kNetlinkShow).zeros(kCookie);
      break;
    case SocketFamily::kPacket:
      body.zeros(3).put(uint32_t{0}).put(kPacketShow).zeros(kCookie);
      break;
    case SocketFamily::kVsock:
      body.zeros(3).put(states).zeros(2 * sizeof(uint32_t) + kCookie);
      break;
  }
  return body.take();
}

}  // namespace

std::optional<DiagMessage> DiagMessages::next() {
  if (rest_.empty()) {
    return std::nullopt;
  }
  const size_t length = number_at<uint32_t>(rest_, 0);
  if (rest_.size() < kHeaderBytes || length < kHeaderBytes || length > rest_.size()) {
    malformed_ = true;
    rest_ = {};
    return std::nullopt;
  }
  DiagMessage message;
  message.type = number_at<uint16_t>(rest_, 4);
  message.flags = number_at<uint16_t>(rest_, 6);
  message.sequence = number_at<uint32_t>(rest_, 8);
  message.payload = rest_.substr(kHeaderBytes, length - kHeaderBytes);
  rest_.remove_prefix(std::min(align4(length), rest_.size()));
  return message;
}

int32_t diag_error(std::string_view payload) {
  const auto code = number_at<int32_t>(payload, 0);
  return code < 0 && code > INT32_MIN ? -code : 0;
}

std::string diag_request(const SocketList& list, uint32_t states, uint32_t sequence) {
  const std::string body = request_body(list, states);
  Bytes message;
  message.put(static_cast<uint32_t>(kHeaderBytes + body.size()));
  message.put(kDiagByFamily).put(kRequestDump).put(sequence).put(uint32_t{0});
  return message.take() + body;
}

std::optional<ParsedSocket> parse_diag(std::string_view payload, const SocketList& list) {
  if (payload.empty() || number_at<uint8_t>(payload, 0) != static_cast<uint8_t>(list.family)) {
    return std::nullopt;
  }
  auto socket = parse_body(payload, list);
  if (socket) {
    socket->row.kind = static_cast<uint8_t>(list.kind);
    socket->row.family = static_cast<uint8_t>(list.family);
  }
  return socket;
}

}  // namespace procscope
