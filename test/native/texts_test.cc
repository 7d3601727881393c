#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "parse/environ.h"
#include "parse/links.h"
#include "parse/status.h"
#include "parse/tty.h"

namespace procscope {

namespace {

std::string bytes(const char* text, size_t size) { return {text, size}; }
#define BYTES(literal) bytes(literal, sizeof(literal) - 1)

std::string select(const std::string& from, const std::vector<std::string>& keys,
                   bool complete = true) {
  std::string out;
  select_environ(from, keys, complete, out);
  return out;
}

}  // namespace

TEST_CASE("status: ids and namespace pids") {
  const ProcStatus status = parse_status(
      "Name:\tx\nUmask:\t0022\nUid:\t1000\t0\t1000\t0\nGid:\t100\t5\t100\t5\nNSpid:"
      "\t4605\t12\t1\n");
  REQUIRE(status.uid);
  CHECK(status.uid->real == 1000);
  CHECK(status.uid->effective == 0);
  REQUIRE(status.gid);
  CHECK(status.gid->real == 100);
  CHECK(status.gid->effective == 5);
  REQUIRE(status.nspid);
  CHECK(*status.nspid == "4605\t12\t1");
}

TEST_CASE("status: a name that looks like a line is no line, since the kernel escapes newlines") {
  const ProcStatus status = parse_status("Name:\tUid:\\t0 Uid:\t0\t0\nUid:\t7\t8\t9\t9\n");
  REQUIRE(status.uid);
  CHECK(status.uid->real == 7);
}

TEST_CASE("status: missing and broken lines stay empty") {
  CHECK_FALSE(parse_status("").uid);
  CHECK_FALSE(parse_status("Uid:\t\n").uid);
  CHECK_FALSE(parse_status("Uid:\t1\n").uid);
  CHECK_FALSE(parse_status("Uid:\t-1\t2\n").uid);
  CHECK_FALSE(parse_status("Uid:\t99999999999\t2\n").uid);
  CHECK_FALSE(parse_status("NSpid:\t1;2\n").nspid);
  CHECK_FALSE(parse_status("NSpid:\t\n").nspid);
}

TEST_CASE("environ: set, not set, empty, and the first of two") {
  const std::string environ = BYTES("HOME=/root\0EMPTY=\0X=1\0X=2\0=odd\0noequals\0");
  CHECK(select(environ, {"HOME", "NOPE", "EMPTY", "X"}) == BYTES("=/root\0-\0=\0=1\0"));
}

TEST_CASE("environ: a key is no prefix and no value of another") {
  const std::string environ = BYTES("HOMER=a\0AHOME=b\0Y=HOME=c\0");
  CHECK(select(environ, {"HOME"}) == BYTES("-\0"));
}

TEST_CASE("environ: behind a cut nothing is said, and a cut value is no value") {
  const std::string environ = BYTES("A=1\0HOME=/ro");
  CHECK(select(environ, {"A", "HOME", "Z"}, false) == BYTES("=1\0?\0?\0"));
  // Without a cut a last entry that lacks its NUL is what the process wrote there.
  CHECK(select(environ, {"HOME"}, true) == BYTES("=/ro\0"));
}

TEST_CASE("environ: nothing there") { CHECK(select("", {"A"}) == BYTES("-\0")); }

TEST_CASE("tty: names by driver, console and serial numbering") {
  const auto drivers = parse_tty_drivers(
      "/dev/tty             /dev/tty        5       0 system:/dev/tty\n"
      "/dev/console         /dev/console    5       1 system:console\n"
      "serial               /dev/ttyS       4 64-111 serial\n"
      "pty_slave            /dev/pts      136 0-1048575 pty:slave\n"
      "unknown              /dev/tty        4 1-63 console\n"
      "usbserial            /dev/ttyUSB   188 0-511 serial\n"
      "junk\n\n /dev/x 1\nbad /dev/y x 1-2 z\nback /dev/z 9 5-2 z\n");
  CHECK(drivers.size() == 6);
  const auto device = [](uint32_t major, uint32_t minor) {
    return (minor & 0xff) | major << 8 | (minor & 0xfff00) << 12;
  };
  CHECK(tty_name(device(136, 3), drivers) == "pts/3");
  CHECK(tty_name(device(136, 70000), {}) == "pts/70000");
  CHECK(tty_name(device(4, 1), drivers) == "tty1");
  CHECK(tty_name(device(4, 64), drivers) == "ttyS0");
  CHECK(tty_name(device(4, 66), drivers) == "ttyS2");
  CHECK(tty_name(device(5, 1), drivers) == "console");
  CHECK(tty_name(device(188, 11), drivers) == "ttyUSB11");
  CHECK(tty_name(device(4, 2), {}) == "tty2");
  CHECK(tty_name(device(4, 65), {}) == "ttyS1");
  CHECK(tty_name(device(77, 1), drivers).empty());
  CHECK(tty_name(0, drivers).empty());
}

TEST_CASE("links: namespace, boot time, boot id, pid names") {
  CHECK(parse_namespace_link("pid:[4026531836]", "pid") == 4026531836ULL);
  for (const char* junk : {"", "pid:[", "pid:[]", "net:[1]", "pid:[1]x", "pid:[-1]", "pid:1"}) {
    CHECK_FALSE(parse_namespace_link(junk, "pid"));
  }
  CHECK(parse_btime("cpu 1 2\nintr 3\nbtime 1796054388\nprocesses 4\n") == 1796054388ULL);
  CHECK_FALSE(parse_btime("btime x\n"));
  CHECK_FALSE(parse_btime("xbtime 1\n"));
  CHECK(parse_boot_id("ead8dd32-a9b4-4226-ada3-8458e529626d\n") ==
        "ead8dd32-a9b4-4226-ada3-8458e529626d");
  CHECK_FALSE(parse_boot_id("ead8dd32\n"));
  CHECK_FALSE(parse_boot_id("zad8dd32-a9b4-4226-ada3-8458e529626d"));
  CHECK(parse_pid_name("4194304") == 4194304);
  for (const char* junk : {"", "0", "01", "+1", "-1", "1x", "self", "99999999999", " 1"}) {
    CHECK_FALSE(parse_pid_name(junk));
  }
}

}  // namespace procscope
