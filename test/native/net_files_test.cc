// The files of /proc/net, in the forms of Linux 6.18.
#include <doctest/doctest.h>

#include <string>

#include "parse/net_address.h"
#include "parse/net_inet.h"
#include "parse/net_misc.h"
#include "parse/net_unix.h"

namespace procscope {

namespace {

std::string ipv6(const char* hex) {
  const auto address = parse_hex_address(hex);
  REQUIRE(address);
  std::string text;
  append_ipv6(text, *address);
  return text;
}

}  // namespace

TEST_CASE("net_address: IPv6 in the one form of RFC 5952") {
  CHECK(ipv6("00000000000000000000000000000000") == "::");
  CHECK(ipv6("00000000000000000000000001000000") == "::1");
  CHECK(ipv6("0000000000000000FFFF00000100007F") == "::ffff:127.0.0.1");
  CHECK(ipv6("000080FE00000000FF005450A1B2C3D4") == "fe80::5054:ff:d4c3:b2a1");
  CHECK(ipv6("B80D0120000001000000000000000100") == "2001:db8:1::1:0");
  // A single zero group stays, and of two equal runs the first one goes.
  CHECK(ipv6("B80D0120000001000100010001000100") == "2001:db8:1:0:1:1:1:1");
  CHECK(ipv6("B80D0120000000000000010001000000") == "2001:db8::1:0:0:1");
  CHECK(ipv6("01000000000000000000000000000000") == "0:1::");
  CHECK(ipv6("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF") == "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

TEST_CASE("net_address: what is no address of 8 or 32 digits") {
  for (const char* junk : {"", "0", "0100007", "0100007G", "0100007F0", "-100007F",
                           "0000000000000000FFFF00000100007 "}) {
    CHECK_FALSE(parse_hex_address(junk));
  }
}

TEST_CASE("net_inet: a listening and a connected socket of tcp") {
  const auto listening = parse_net_inet(
      "   0: 0100007F:07E8 00000000:0000 0A 00000000:00000003 00:00000000 00000000  1000        0 "
      "575 "
      "1 00000000572167e2 100 0 0 10 0",
      SocketKind::kTcp, SocketFamily::kInet);
  REQUIRE(listening);
  std::string text;
  append_ipv4(text, listening->local.data());
  CHECK(text == "127.0.0.1");
  CHECK(listening->row.local_port == 2024);
  CHECK(listening->row.state == kSocketListen);
  CHECK(listening->row.receive_queue == 3);
  CHECK(listening->row.uid == 1000);
  CHECK(listening->row.inode == 575);
  CHECK(has_no_remote(*listening));
  // The file does not say how many may wait.
  CHECK((listening->row.present & bit(SocketField::kSendQueue)) == 0);
  CHECK((listening->row.present & bit(SocketField::kInterface)) == 0);

  const auto waiting = parse_net_inet(
      "  12: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:C001 06 "
      "00000010:00000020 03:00000AF0 00000002     0        0 0 3 0000000000000000",
      SocketKind::kTcp, SocketFamily::kInet6);
  REQUIRE(waiting);
  CHECK(waiting->row.state == kSocketTimeWait);
  CHECK(waiting->row.inode == 0);
  CHECK(waiting->row.v4_mapped == 1);
  CHECK(waiting->row.remote_port == 0xC001);
  CHECK(waiting->row.send_queue == 16);
  CHECK(waiting->row.receive_queue == 32);
  CHECK(waiting->row.timer == 3);
  CHECK(waiting->row.timer_ms == 28000);
  CHECK(waiting->row.retransmits == 2);
}

TEST_CASE("net_inet: a raw socket has its protocol where others have a port") {
  const auto raw = parse_net_inet(
      "    1: 00000000:003A 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 "
      "77 2 "
      "0000000000000000 0",
      SocketKind::kRaw, SocketFamily::kInet);
  REQUIRE(raw);
  CHECK(raw->row.protocol == 58);
  CHECK(raw->row.local_port == 0);
}

TEST_CASE("net_inet: headings, the other family and what is cut") {
  const std::string line =
      "   0: 0100007F:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "575";
  CHECK(parse_net_inet(line, SocketKind::kTcp, SocketFamily::kInet));
  CHECK_FALSE(parse_net_inet(line, SocketKind::kTcp, SocketFamily::kInet6));
  for (size_t n = 0; n < line.rfind(' ') + 1; ++n) {
    CHECK_FALSE(
        parse_net_inet(std::string_view(line).substr(0, n), SocketKind::kTcp, SocketFamily::kInet));
  }
  CHECK_FALSE(parse_net_inet("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when",
                             SocketKind::kTcp, SocketFamily::kInet));
}

TEST_CASE("net_unix: paths with blanks and newlines, abstract names, listening and connected") {
  const std::string file =
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "00000000318f67fa: 00000002 00000000 00010000 0001 01  1056 /run/a b\n"
      "00000000318f67fb: 00000003 00000000 00000000 0001 03  1057 /run/x\ny\n\nz\n"
      "00000000318f67fc: 00000003 00000000 00000000 0005 03  1058\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01 4294967295 @name\n";
  NetUnix sockets(file);
  const auto listening = sockets.next();
  REQUIRE(listening);
  CHECK(listening->path == "/run/a b");
  CHECK(listening->row.state == kSocketListen);
  CHECK(listening->row.inode == 1056);
  const auto odd = sockets.next();
  REQUIRE(odd);
  CHECK(odd->path == "/run/x\ny\n\nz");
  CHECK(odd->row.state == kSocketEstablished);
  const auto unnamed = sockets.next();
  REQUIRE(unnamed);
  CHECK(unnamed->path.empty());
  CHECK(unnamed->row.type == 5);
  const auto abstract = sockets.next();
  REQUIRE(abstract);
  CHECK(abstract->path == "@name");
  CHECK(abstract->row.inode == 4294967295);
  CHECK(abstract->row.state == kSocketClose);
  CHECK((abstract->row.present & bit(SocketField::kPeer)) == 0);
  CHECK_FALSE(sockets.next());
  CHECK_FALSE(sockets.malformed());
}

TEST_CASE("net_unix: what is no list says so") {
  for (const char* junk : {"junk\n", "Num RefCount\njunk\n", "x: 1 2 3 4 5 6\n"}) {
    NetUnix sockets(junk);
    CHECK_FALSE(sockets.next());
    CHECK(sockets.malformed());
  }
  NetUnix nothing("");
  CHECK_FALSE(nothing.next());
  CHECK_FALSE(nothing.malformed());
}

TEST_CASE("net_misc: netlink and packet") {
  const auto netlink = parse_net_netlink(
      "00000000bc70bf59 15  4294963200 00000011 8        16       0     2        0        4");
  REQUIRE(netlink);
  CHECK(netlink->socket.row.protocol == 15);
  CHECK(netlink->socket.row.local_port == 4294963200);
  CHECK(netlink->groups_word == 0x11);
  CHECK(netlink->socket.row.receive_queue == 8);
  CHECK(netlink->socket.row.send_queue == 16);
  CHECK(netlink->socket.row.inode == 4);
  CHECK_FALSE(parse_net_netlink("sk               Eth Pid        Groups   Rmem"));

  const auto packet =
      parse_net_packet("0000000012345678 3      3    0003   2     1 96     33     812");
  REQUIRE(packet);
  CHECK(packet->row.protocol == 3);
  CHECK(packet->row.interface == 2);
  CHECK(packet->row.receive_queue == 96);
  CHECK(packet->row.uid == 33);
  CHECK(packet->row.inode == 812);
  const auto orphan =
      parse_net_packet("0000000012345678 3      3    0003   -1    0 0      0      9");
  REQUIRE(orphan);
  CHECK(orphan->row.interface == 0);
}

TEST_CASE("net_misc: protocols are found by their whole name") {
  const std::string file = "protocol  size sockets\nUDP-Lite  1 0\nTCP 2 1\n";
  CHECK(has_protocol(file, "TCP"));
  CHECK(has_protocol(file, "UDP-Lite"));
  CHECK_FALSE(has_protocol(file, "UDP"));
  CHECK_FALSE(has_protocol("", "TCP"));
}

}  // namespace procscope
