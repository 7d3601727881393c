#include "platform/sockets.h"

#include <algorithm>
#include <cstring>

#include "parse/net_address.h"
#include "parse/net_inet.h"

namespace procscope {

namespace {

std::string address_text(const Address& address, SocketFamily family) {
  std::string text;
  if (family == SocketFamily::kInet) {
    append_ipv4(text, address.data());
  } else if (family == SocketFamily::kInet6) {
    append_ipv6(text, address);
  } else if (family == SocketFamily::kVsock) {
    uint32_t cid = 0;
    std::memcpy(&cid, address.data(), sizeof cid);
    text = std::to_string(cid);
  }
  return text;
}

bool is_ip(SocketFamily family) {
  return family == SocketFamily::kInet || family == SocketFamily::kInet6;
}

}  // namespace

uint32_t SocketQuery::states_of(const SocketList& list) const {
  if (list.kind == SocketKind::kTcp) {
    return tcp_states;
  }
  return is_ip(list.family) ? ip_states : other_states;
}

bool SocketQuery::takes(const SocketRow& row) const {
  if (by_state) {
    const SocketList list{static_cast<SocketKind>(row.kind), static_cast<SocketFamily>(row.family)};
    const bool stated = (row.present & bit(SocketField::kState)) != 0 && row.state < 32;
    if (!stated || (states_of(list) >> row.state & 1) == 0) {
      return false;
    }
  }
  if (ports.empty()) {
    return true;
  }
  const auto family = static_cast<SocketFamily>(row.family);
  return (is_ip(family) || family == SocketFamily::kVsock) &&
         std::any_of(ports.begin(), ports.end(), [&](uint32_t port) {
           return row.local_port == port || row.remote_port == port;
         });
}

bool SocketBatch::add(const ParsedSocket& socket, size_t most_rows) {
  if (rows.size() >= most_rows) {
    return false;
  }
  SocketRow row = socket.row;
  const auto family = static_cast<SocketFamily>(row.family);
  if (is_ip(family) || family == SocketFamily::kVsock) {
    row.local = put(address_text(socket.local, family));
    if (!(is_ip(family) && has_no_remote(socket))) {
      row.remote = put(address_text(socket.remote, family));
    }
  }
  row.path = put(socket.path);
  row.groups = put(socket.groups);
  rows.push_back(row);
  return true;
}

}  // namespace procscope
