// Sockets from the files of /proc/<pid>/net. The kernel makes them up while they are read and waits
// for nobody; below a foreign root they are files like any other, and the caller marks the wait.
#include "platform/linux/proc_net.h"

#include <cerrno>

#include "base/scan.h"
#include "parse/net_inet.h"
#include "parse/net_misc.h"
#include "parse/net_unix.h"

namespace procscope::linux_os {

namespace {

using Take = std::function<bool(const ParsedSocket&)>;

/// About two million sockets.
constexpr size_t kMostFileBytes = size_t{1} << 28;

struct Names {
  SocketList list;
  const char* file = nullptr;
  const char* protocol = nullptr;
};

constexpr Names kNames[] = {
    {{SocketKind::kTcp, SocketFamily::kInet}, "tcp", "TCP"},
    {{SocketKind::kTcp, SocketFamily::kInet6}, "tcp6", "TCPv6"},
    {{SocketKind::kUdp, SocketFamily::kInet}, "udp", "UDP"},
    {{SocketKind::kUdp, SocketFamily::kInet6}, "udp6", "UDPv6"},
    {{SocketKind::kUdplite, SocketFamily::kInet}, "udplite", "UDP-Lite"},
    {{SocketKind::kUdplite, SocketFamily::kInet6}, "udplite6", "UDPLITEv6"},
    {{SocketKind::kIcmp, SocketFamily::kInet}, "icmp", "PING"},
    {{SocketKind::kIcmp, SocketFamily::kInet6}, "icmp6", "PINGv6"},
    {{SocketKind::kRaw, SocketFamily::kInet}, "raw", "RAW"},
    {{SocketKind::kRaw, SocketFamily::kInet6}, "raw6", "RAWv6"},
    {{SocketKind::kUnix, SocketFamily::kUnix}, "unix", "UNIX"},
    {{SocketKind::kNetlink, SocketFamily::kNetlink}, "netlink", "NETLINK"},
    {{SocketKind::kPacket, SocketFamily::kPacket}, "packet", "PACKET"},
    {{SocketKind::kVsock, SocketFamily::kVsock}, nullptr, "AF_VSOCK"},
};

const Names* names_of(const SocketList& list) {
  for (const Names& names : kNames) {
    if (names.list.kind == list.kind && names.list.family == list.family) {
      return &names;
    }
  }
  return nullptr;
}

bool take_unix(std::string_view file, const Take& take) {
  NetUnix sockets(file);
  while (const auto socket = sockets.next()) {
    if (!take(*socket)) {
      break;
    }
  }
  return !sockets.malformed();
}

bool take_netlink(std::string_view line, const Take& take, bool& more) {
  const auto parsed = parse_net_netlink(line);
  if (parsed) {
    ParsedSocket socket = parsed->socket;
    if (parsed->groups_word != 0) {
      socket.groups = {reinterpret_cast<const char*>(&parsed->groups_word),
                       sizeof parsed->groups_word};
    }
    more = take(socket);
  }
  return parsed.has_value();
}

/// Answers false when a line could not be understood.
bool take_lines(std::string_view file, const SocketList& list, const Take& take) {
  Scan scan(file);
  scan.line();  // The heading.
  bool understood = true;
  for (bool more = true; more && !scan.empty();) {
    const std::string_view line = scan.line();
    if (list.kind == SocketKind::kNetlink) {
      understood &= take_netlink(line, take, more);
      continue;
    }
    const auto socket = list.kind == SocketKind::kPacket
                            ? parse_net_packet(line)
                            : parse_net_inet(line, list.kind, list.family);
    understood &= socket.has_value();
    more = !socket || take(*socket);
  }
  return understood;
}

}  // namespace

const char* file_of(const SocketList& list) {
  const Names* names = names_of(list);
  return names == nullptr ? nullptr : names->file;
}

const char* protocol_name(const SocketList& list) {
  const Names* names = names_of(list);
  return names == nullptr ? "" : names->protocol;
}

ProcNetOutcome read_sockets(int net, const SocketList& list, const Take& take, Watch& watch) {
  const char* const name = file_of(list);
  if (name == nullptr) {
    return {ENOENT, Call::kOpen};
  }
  Buffer buffer;
  const Bytes bytes = buffer.read_file(net, name, kMostFileBytes, Ending::kEmptyRead, &watch);
  if (!bytes.ok()) {
    return {bytes.code, bytes.call};
  }
  std::string_view file = bytes.data;
  if (bytes.truncated) {
    file = file.substr(0, file.rfind('\n') + 1);
  }
  const bool understood =
      list.kind == SocketKind::kUnix ? take_unix(file, take) : take_lines(file, list, take);
  return {0, Call::kNone, bytes.truncated, !understood};
}

}  // namespace procscope::linux_os
