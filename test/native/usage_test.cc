#include "parse/usage.h"

#include <doctest/doctest.h>

namespace procscope {

TEST_CASE("io: all seven lines or nothing") {
  constexpr std::string_view kBytes =
      "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
      "cancelled_write_bytes: 18446744073709551615\n";
  const auto io = parse_io(kBytes);
  REQUIRE(io);
  CHECK(io->rchar == 1);
  CHECK(io->write_bytes == 6);
  CHECK(io->cancelled_write_bytes == UINT64_MAX);
  CHECK_FALSE(parse_io(""));
  CHECK_FALSE(parse_io(kBytes.substr(0, 60)));
  CHECK_FALSE(
      parse_io("rchar: -1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
               "cancelled_write_bytes: 0\n"));
}

TEST_CASE("status: what is there, and nothing for what is not") {
  const UsageStatus status = parse_usage_status(
      "Name:\tVmHWM\\n\nVmHWM:\t    12 kB\nVmRSS:\t 8 kB\nVmSwap:\t 3 "
      "kB\nvoluntary_ctxt_switches:\t7\n"
      "nonvoluntary_ctxt_switches:\t9\n");
  CHECK(status.peak_rss == 12288);
  CHECK(status.rss == 8192);
  CHECK(status.swap == 3072);
  CHECK(status.voluntary == 7);
  CHECK(status.involuntary == 9);
  const UsageStatus none = parse_usage_status("Name:\tkthreadd\n");
  CHECK_FALSE(none.peak_rss);
  CHECK_FALSE(none.voluntary);
  CHECK_FALSE(parse_usage_status("VmHWM:\t18446744073709551615 kB\n").peak_rss);
  CHECK_FALSE(parse_usage_status("VmHWM:\t12 MB\n").peak_rss);
}

TEST_CASE("pss, statm, schedstat, the last pid") {
  CHECK(parse_pss("0000-ffff ---p 00000000 00:00 0 [rollup]\nRss: 9 kB\nPss: 4 kB\n") == 4096);
  CHECK_FALSE(parse_pss("Pss_Dirty: 4 kB\n"));
  const auto statm = parse_statm("100 20 3 4 0 5 0\n");
  REQUIRE(statm);
  CHECK(statm->size == 100);
  CHECK(statm->resident == 20);
  CHECK_FALSE(parse_statm("100\n"));
  CHECK(parse_schedstat("6908592 6958989 9\n") == 6908592);
  CHECK_FALSE(parse_schedstat(""));
  const auto loadavg = parse_loadavg("0.00 0.01 0.05 1/200 4711\n");
  REQUIRE(loadavg);
  CHECK(loadavg->tasks == 200);
  CHECK(loadavg->last_pid == 4711);
  CHECK_FALSE(parse_loadavg("0.00 0.01 0.05 1/200\n"));
  CHECK_FALSE(parse_loadavg("0.00 0.01 0.05 200 4711\n"));
}

}  // namespace procscope
