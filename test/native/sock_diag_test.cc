#include "parse/sock_diag.h"

#include <doctest/doctest.h>

#include <string>

#include "parse/net_address.h"

namespace procscope {

namespace {

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string attribute(uint16_t type, const std::string& value) {
  std::string bytes;
  put(bytes, static_cast<uint16_t>(value.size() + 4));
  put(bytes, type);
  bytes += value;
  bytes.resize((bytes.size() + 3) & ~size_t{3});
  return bytes;
}

std::string message(uint16_t type, uint16_t flags, const std::string& payload) {
  std::string bytes;
  put(bytes, static_cast<uint32_t>(payload.size() + 16));
  put(bytes, type);
  put(bytes, flags);
  put(bytes, uint32_t{1});
  put(bytes, uint32_t{0});
  bytes += payload;
  bytes.resize((bytes.size() + 3) & ~size_t{3});
  return bytes;
}

constexpr SocketList kTcp6{SocketKind::kTcp, SocketFamily::kInet6};
constexpr SocketList kUnixList{SocketKind::kUnix, SocketFamily::kUnix};

std::string inet_payload() {
  std::string bytes;
  put(bytes, uint8_t{10});  // family
  put(bytes, uint8_t{1});   // state
  put(bytes, uint8_t{2});   // timer
  put(bytes, uint8_t{1});   // retransmits
  bytes += std::string("\x1f\x90\xc0\x01", 4);
  std::string address(16, '\0');
  address[15] = 1;
  bytes += address + address;
  put(bytes, uint32_t{7});  // interface
  put(bytes, uint64_t{0});  // cookie
  put(bytes, uint32_t{1500});
  put(bytes, uint32_t{11});
  put(bytes, uint32_t{12});
  put(bytes, uint32_t{1000});
  put(bytes, uint32_t{4242});
  return bytes;
}

std::string unix_head() {
  std::string bytes("\x01\x01\x0a\x00", 4);
  put(bytes, uint32_t{99});
  put(bytes, uint64_t{0});
  return bytes;
}

}  // namespace

TEST_CASE("sock_diag: a socket of tcp over IPv6") {
  const std::string payload = inet_payload();
  const auto socket = parse_diag(payload, kTcp6);
  REQUIRE(socket);
  CHECK(socket->row.state == kSocketEstablished);
  CHECK(socket->row.local_port == 8080);
  CHECK(socket->row.remote_port == 49153);
  std::string text;
  append_ipv6(text, socket->local);
  CHECK(text == "::1");
  CHECK(socket->row.interface == 7);
  CHECK(socket->row.timer == 2);
  CHECK(socket->row.timer_ms == 1500);
  CHECK(socket->row.receive_queue == 11);
  CHECK(socket->row.send_queue == 12);
  CHECK(socket->row.uid == 1000);
  CHECK(socket->row.inode == 4242);
  for (size_t n = 0; n < payload.size(); ++n) {
    CHECK_FALSE(parse_diag(std::string_view(payload).substr(0, n), kTcp6));
  }
  CHECK_FALSE(parse_diag(payload, {SocketKind::kTcp, SocketFamily::kInet}));
}

TEST_CASE("sock_diag: names of unix sockets, byte for byte") {
  const auto path_of = [](const std::string& name) {
    const std::string bytes = unix_head() + attribute(0, name);
    const auto socket = parse_diag(bytes, kUnixList);
    REQUIRE(socket);
    return std::string(socket->path);
  };
  CHECK(path_of(std::string("/a b\nc\0", 7)) == "/a b\nc");
  CHECK(path_of("/no end") == "/no end");
  CHECK(path_of(std::string("\0ab\0c", 5)) == std::string("\0ab\0c", 5));
  CHECK(path_of("").empty());

  std::string queues;
  put(queues, uint32_t{2});
  put(queues, uint32_t{128});
  std::string peer;
  put(peer, uint32_t{77});
  const std::string bytes =
      unix_head() + attribute(4, queues) + attribute(2, peer) + attribute(7, peer);
  const auto socket = parse_diag(bytes, kUnixList);
  REQUIRE(socket);
  CHECK(socket->row.receive_queue == 2);
  CHECK(socket->row.send_queue == 128);
  CHECK(socket->row.peer == 77);
  CHECK(socket->row.uid == 77);
  CHECK(socket->row.inode == 99);
}

TEST_CASE("sock_diag: attributes whose length lies are not followed") {
  for (const uint16_t length : {0, 3, 9, 200, 65535}) {
    std::string bytes = unix_head();
    put(bytes, length);
    put(bytes, uint16_t{0});
    bytes += "name";
    const auto socket = parse_diag(bytes, kUnixList);
    REQUIRE(socket);
    CHECK(socket->path.empty());
  }
}

TEST_CASE("sock_diag: messages, one after another, and their ends") {
  const std::string datagram = message(kDiagByFamily, 2, inet_payload()) +
                               message(kDiagByFamily, 2 | kDiagInterrupted, unix_head()) +
                               message(kDiagDone, 2, std::string(4, '\0'));
  DiagMessages messages(datagram);
  const auto first = messages.next();
  REQUIRE(first);
  CHECK(first->type == kDiagByFamily);
  CHECK(first->payload == inet_payload());
  CHECK(first->sequence == 1);
  const auto second = messages.next();
  REQUIRE(second);
  CHECK((second->flags & kDiagInterrupted) != 0);
  const auto done = messages.next();
  REQUIRE(done);
  CHECK(done->type == kDiagDone);
  CHECK(diag_error(done->payload) == 0);
  CHECK_FALSE(messages.next());
  CHECK_FALSE(messages.malformed());
}

TEST_CASE("sock_diag: a message that leads out of its datagram ends the walk") {
  const std::string whole = message(kDiagByFamily, 2, inet_payload());
  for (size_t n = 1; n < whole.size(); ++n) {
    DiagMessages messages(std::string_view(whole).substr(0, n));
    CHECK_FALSE(messages.next());
    CHECK(messages.malformed());
  }
  std::string loop = whole;
  loop.replace(0, 4, 4, '\0');
  DiagMessages messages(loop);
  CHECK_FALSE(messages.next());
  CHECK(messages.malformed());
}

TEST_CASE("sock_diag: error numbers") {
  std::string error;
  put(error, int32_t{-2});
  CHECK(diag_error(error) == 2);
  CHECK(diag_error("") == 0);
  std::string odd;
  put(odd, INT32_MIN);
  CHECK(diag_error(odd) == 0);
}

TEST_CASE("sock_diag: requests are as long as the kernel's structures") {
  CHECK(diag_request(kTcp6, ~0U, 1).size() == 16 + 56);
  CHECK(diag_request(kUnixList, ~0U, 1).size() == 16 + 24);
  CHECK(diag_request({SocketKind::kNetlink, SocketFamily::kNetlink}, 0, 1).size() == 16 + 20);
  CHECK(diag_request({SocketKind::kPacket, SocketFamily::kPacket}, 0, 1).size() == 16 + 20);
  CHECK(diag_request({SocketKind::kVsock, SocketFamily::kVsock}, 0, 1).size() == 16 + 24);
}

}  // namespace procscope
