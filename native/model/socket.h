#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/packing.h"

namespace procscope {

/// The order is part of what crosses to JS.
enum class SocketKind : uint8_t {
  kTcp = 0,
  kUdp,
  kUdplite,
  /// "Ping" sockets: unprivileged ICMP echo.
  kIcmp,
  kRaw,
  kUnix,
  kNetlink,
  kPacket,
  kVsock,
};

inline constexpr int kSocketKinds = 9;

/// Address families by the numbers that Linux gives them; they are part of its binary interface.
enum class SocketFamily : uint8_t {
  kUnix = 1,
  kInet = 2,
  kInet6 = 10,
  kNetlink = 16,
  kPacket = 17,
  kVsock = 40,
};

/// Socket types, likewise.
enum class SocketType : uint8_t { kStream = 1, kDatagram = 2, kRaw = 3, kSequenced = 5 };

/// States of every kind are told in those of TCP: include/net/tcp_states.h.
enum SocketState : uint8_t {
  kSocketNoState = 0,
  kSocketEstablished = 1,
  kSocketTimeWait = 6,
  kSocketClose = 7,
  kSocketListen = 10,
};

/// What a source may leave out, one bit each. A field counts only where its bit stands.
enum class SocketField : uint8_t {
  kState = 0,
  kReceiveQueue,
  kSendQueue,
  kUid,
  kInterface,
  kTimer,
  kPeer,
  kGroups,
  kOwners,
};

inline constexpr int kSocketFields = 9;

constexpr FieldMask bit(SocketField field) { return FieldMask{1} << static_cast<uint8_t>(field); }

/// One socket. Texts: addresses of IP in canonical form, of vsock the cid in decimal.
struct SocketRow {
  FieldMask present = 0;
  uint8_t kind = 0;
  uint8_t family = 0;
  uint8_t type = 0;
  uint8_t state = kSocketNoState;
  /// 0 none, 1 retransmit, 2 keepalive, 3 time-wait, 4 window probe; and how often it has run.
  uint8_t timer = 0;
  uint8_t retransmits = 0;
  /// An IPv6 socket whose addresses are IPv4 ones.
  uint8_t v4_mapped = 0;
  /// IP protocol, netlink protocol or Ethernet protocol; 0 for unix and vsock.
  uint32_t protocol = 0;
  /// netlink: the port id.
  uint32_t local_port = 0;
  uint32_t remote_port = 0;
  /// Bytes; of a listening socket the connections that wait, and how many may.
  uint32_t receive_queue = 0;
  uint32_t send_queue = 0;
  uint32_t uid = 0;
  /// Interface index; 0 = not bound to one.
  uint32_t interface = 0;
  /// Milliseconds until the timer runs.
  uint32_t timer_ms = 0;
  /// 0 = no descriptor leads here any more.
  uint64_t inode = 0;
  /// unix: inode of the other end; 0 = none.
  uint64_t peer = 0;
  TextRef local;
  TextRef remote;
  /// unix: the bytes of sun_path; an abstract name starts with NUL.
  TextRef path;
  /// netlink: one byte for each eight groups, the lowest first.
  TextRef groups;
  /// int32 pid, int32 fd, for each descriptor that leads here.
  TextRef owners;
};

using Address = std::array<uint8_t, 16>;

/// A socket as a parser gives it; views point into what was parsed. IPv4 addresses fill the first
/// four bytes, in network order.
struct ParsedSocket {
  SocketRow row;
  Address local{};
  Address remote{};
  std::string_view path;
  std::string_view groups;

  [[nodiscard]] bool is_ip() const {
    return row.family == static_cast<uint8_t>(SocketFamily::kInet) ||
           row.family == static_cast<uint8_t>(SocketFamily::kInet6);
  }
};

/// A list of the kernel: all sockets of one kind and family.
struct SocketList {
  SocketKind kind = SocketKind::kTcp;
  SocketFamily family = SocketFamily::kInet;
};

/// Where the sockets of one list came from.
enum class SocketSource : uint8_t {
  /// From nowhere: a fault says why.
  kNone = 0,
  kNetlink,
  kProc,
  /// This kernel has no such sockets.
  kAbsent,
};

/// A process whose descriptors could not be looked at.
struct UnseenProcess {
  int32_t pid = 0;
  FaultKind kind = FaultKind::kNone;
  Call call = Call::kNone;
  int32_t code = 0;
};

/// One look at the sockets of a network namespace.
struct SocketTable : Table<SocketRow> {
  struct Source {
    SocketList list;
    SocketSource source = SocketSource::kNone;
  };
  std::vector<Source> sources;
  std::vector<UnseenProcess> unseen;
  /// Every process that can hold one of these sockets was looked at.
  bool everybody_seen = false;
};

}  // namespace procscope
