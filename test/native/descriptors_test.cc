#include <doctest/doctest.h>

#include <string>

#include "parse/fdinfo.h"
#include "parse/locks.h"
#include "parse/maps.h"
#include "parse/mountinfo.h"

namespace procscope {

TEST_CASE("fdinfo: general lines, locks, and what is special") {
  const FdInfo info = parse_fdinfo(
      "pos:\t18446744073709551615\nflags:\t02102001\nmnt_id:\t26\nino:\t9\n"
      "lock:\t1: FLOCK  ADVISORY  WRITE 7 fe:00:9 0 EOF\n"
      "lock:\t2: POSIX  ADVISORY  READ 7 fe:00:9 0 5\n"
      "Pid:\t4605\nNSpid:\t4605\n");
  CHECK(info.offset == 18446744073709551615ULL);
  CHECK(info.flags == 02102001U);
  CHECK(info.mount_id == 26);
  CHECK(info.ino == 9U);
  REQUIRE(info.locks.size() == 2);
  CHECK(info.locks[1] == "2: POSIX  ADVISORY  READ 7 fe:00:9 0 5");
  CHECK(info.details == "Pid:\t4605\nNSpid:\t4605\n");
}

TEST_CASE("fdinfo: what is missing or broken stays empty") {
  CHECK_FALSE(parse_fdinfo("").flags);
  CHECK_FALSE(parse_fdinfo("flags:\t9\n").flags);
  CHECK_FALSE(parse_fdinfo("pos:\t-1\n").offset);
  CHECK(parse_fdinfo("anything else\nflags:\t02\n").details == "anything else\nflags:\t02\n");
}

TEST_CASE("locks: every type, ranges, waiters") {
  const auto posix = parse_lock("12: POSIX  ADVISORY  WRITE 3568 fd:0a:2531452 100 199");
  REQUIRE(posix);
  CHECK(posix->row.id == 12);
  CHECK(posix->row.type == static_cast<uint8_t>(LockType::kPosix));
  CHECK(posix->row.mode == static_cast<uint8_t>(LockMode::kWrite));
  CHECK(posix->row.waiting == 0);
  CHECK(posix->row.taker == 3568);
  CHECK(posix->row.major == 0xfd);
  CHECK(posix->row.minor == 10);
  CHECK(posix->row.ino == 2531452);
  CHECK(posix->row.start == 100);
  CHECK(posix->row.end == 199);
  CHECK(posix->state == "ADVISORY");

  const auto waiter = parse_lock("12: -> FLOCK  ADVISORY  READ  3570 fd:00:25 0 EOF");
  REQUIRE(waiter);
  CHECK(waiter->row.waiting == 1);
  CHECK(waiter->row.type == static_cast<uint8_t>(LockType::kFlock));
  CHECK(waiter->row.end == LockRow::kEndOfFile);
  // A waiter that waits for a waiter is indented further.
  CHECK(parse_lock("12:    -> FLOCK  ADVISORY  READ  3570 fd:00:25 0 EOF")->row.waiting == 1);

  CHECK(parse_lock("3: OFDLCK ADVISORY  READ -1 00:2d:17 0 EOF")->row.taker == -1);
  const auto lease = parse_lock("4: LEASE  BREAKING  UNLCK 100 fe:00:17 0 EOF");
  REQUIRE(lease);
  CHECK(lease->row.type == static_cast<uint8_t>(LockType::kLease));
  CHECK(lease->row.mode == static_cast<uint8_t>(LockMode::kNone));
  CHECK(lease->state == "BREAKING");
  const auto breaker = parse_lock("4: -> LEASE  BREAKER   READ  101 <none>:0 0 EOF");
  REQUIRE(breaker);
  CHECK(breaker->row.ino == 0);
  CHECK(breaker->row.taker == 101);
}

TEST_CASE("locks: junk and cut lines are refused") {
  const std::string whole = "12: POSIX  ADVISORY  WRITE 3568 fd:0a:2531452 100 199";
  for (size_t n = 0; n < whole.find(" 199") + 1; ++n) {
    CHECK_FALSE(parse_lock(std::string_view(whole).substr(0, n)));
  }
  for (const char* junk :
       {"x: POSIX ADVISORY WRITE 1 0:0:1 0 EOF", "1: POSIX ADVISORY WRITE x 0:0:1 0 EOF",
        "1: POSIX ADVISORY WRITE 1 zz:0:1 0 EOF", "1:", ": ", "1: ->"}) {
    CHECK_FALSE(parse_lock(junk));
  }
}

TEST_CASE("mountinfo: mount point and type behind any number of optional fields") {
  const auto fuse =
      parse_mount("98 26 0:45 / /mnt\\040x rw shared:5 master:2 - fuse.sshfs host:/ rw");
  REQUIRE(fuse);
  CHECK(fuse->mount_point == "/mnt\\040x");
  CHECK(fuse->type == "fuse.sshfs");
  CHECK(parse_mount("26 1 254:0 / / rw,relatime - ext4 /dev/root rw")->type == "ext4");
  for (const char* junk :
       {"", "26 1 254:0 / / rw", "26 1 254:0 / relative rw - ext4 x", "1 2 3 4 /a rw -"}) {
    CHECK_FALSE(parse_mount(junk));
  }
  for (const char* remote : {"nfs", "nfs4", "fuse", "fuse.sshfs", "cifs", "9p"}) {
    CHECK(is_remote(remote));
  }
  for (const char* local : {"ext4", "fuseblk", "tmpfs", "overlay", "proc", ""}) {
    CHECK_FALSE(is_remote(local));
  }
}

TEST_CASE("maps: files only, with their escapes undone") {
  const auto mapped = parse_mapping(
      "7f0a5c000000-7f0a5c021000 r-xp 00001000 fe:0a 338944                     /usr/lib/a b.so");
  REQUIRE(mapped);
  CHECK(mapped->major == 0xfe);
  CHECK(mapped->minor == 10);
  CHECK(mapped->ino == 338944);
  CHECK(mapped->path == "/usr/lib/a b.so");
  for (const char* none :
       {"7ffd1c5a2000-7ffd1c5c3000 rw-p 00000000 00:00 0                          [stack]",
        "7ffd1c5a2000-7ffd1c5c3000 rw-p 00000000 00:00 0 ", "", "junk", "a b c 0:0"}) {
    CHECK_FALSE(parse_mapping(none));
  }
  // maps itself escapes newlines only: another escape is part of the name.
  CHECK(unescape_newlines("new\\012line\\134 \\012") == "new\nline\\134 \n");
  CHECK(unescape_newlines("") == "");
  CHECK(unescape_octal("new\\012line\\134") == "new\nline\\");
  CHECK(unescape_octal("\\9 \\01 \\777 \\") == "\\9 \\01 \\777 \\");
}

}  // namespace procscope
