#include "parse/stat.h"

#include <doctest/doctest.h>

#include <string>

namespace procscope {

namespace {

const std::string kTail =
    " S 41 42 43 34817 44 4194304 100 0 5 0 7 8 0 0 20 -5 3 0 164740 888795136 11601 "
    "18446744073709551615 1 1 0 0 0 0 0 0 17 1 0 0 0 0 0";

std::optional<ProcStat> parse(const std::string& comm) {
  static std::string kept;
  kept = "4605 (" + comm + ")" + kTail;
  return parse_stat(kept);
}

}  // namespace

TEST_CASE("stat: every field that rows use") {
  const auto stat = parse("node");
  REQUIRE(stat);
  CHECK(stat->pid == 4605);
  CHECK(stat->comm == "node");
  CHECK(stat->state == 'S');
  CHECK(stat->ppid == 41);
  CHECK(stat->pgid == 42);
  CHECK(stat->sid == 43);
  CHECK(stat->tty_device == 34817);
  CHECK(stat->tpgid == 44);
  CHECK(stat->flags == 4194304);
  CHECK(stat->utime == 7);
  CHECK(stat->stime == 8);
  CHECK(stat->priority == 20);
  CHECK(stat->nice == -5);
  CHECK(stat->threads == 3);
  CHECK(stat->start == 164740);
  CHECK(stat->vsize == 888795136);
  CHECK(stat->rss == 11601);
}

TEST_CASE("stat: comm ends at the last parenthesis, whatever it holds") {
  for (const std::string& comm :
       {std::string("a b)c (d"), std::string("x) S 1 2 3"), std::string("nl\nx\ty"),
        std::string(""), std::string(")"), std::string("("), std::string("bad\xff\xfe"),
        std::string("⌘ Command Cod"), std::string("nul\0in", 6)}) {
    const auto stat = parse(comm);
    REQUIRE(stat);
    CHECK(stat->comm == comm);
    CHECK(stat->ppid == 41);
  }
}

TEST_CASE("stat: a tty device with a high minor number crosses as unsigned bits") {
  const auto stat = parse_stat("7 (a) S 1 7 7 -2147448831 7 0 0 0 0 0 1 2 0 0 20 0 1 0 5 4096 1 0");
  REQUIRE(stat);
  CHECK(stat->tty_device == static_cast<uint32_t>(-2147448831));
}

TEST_CASE("stat: the largest values that the kernel prints") {
  const auto stat = parse_stat(
      "2147483647 (a) Z 2147483647 -1 -1 0 -1 4294967295 0 0 0 0 18446744073709551615 "
      "18446744073709551615 0 0 -100 19 2147483647 0 18446744073709551615 18446744073709551615 "
      "9223372036854775807 0");
  REQUIRE(stat);
  CHECK(stat->start == 18446744073709551615ULL);
  CHECK(stat->vsize == 18446744073709551615ULL);
  CHECK(stat->priority == -100);
}

TEST_CASE("stat: what is cut or of another form is refused, not half believed") {
  const std::string whole = "4605 (node)" + kTail;
  const size_t rss_end = whole.find(" 18446744073709551615 1 1");
  for (size_t n = 0; n < whole.find(" 11601") + 1; ++n) {
    CHECK_FALSE(parse_stat(std::string_view(whole).substr(0, n)));
  }
  CHECK(parse_stat(std::string_view(whole).substr(0, rss_end)));
  for (const char* junk :
       {"", "4605", "()", "(a) S", "x (a) S 1", "-1 (a) S 1 1 1 0", "4605(a) S 1", "0 (a) S 1 1 1",
        "4605 (a)S 1 1 1", "4605 (a) 1 1 1", "99999999999 (a) S 1 1 1 0 0 0"}) {
    CHECK_FALSE(parse_stat(junk));
  }
}

TEST_CASE("stat: an argument area that is there and empty") {
  const auto with_area = [](const char* area) {
    std::string fields;
    for (int i = 4; i < 48; ++i) {
      fields += " 1";
    }
    return "7 (a) b) S" + fields + area;
  };
  CHECK(shows_no_arguments(with_area(" 500 500 600 700 0\n")));
  CHECK_FALSE(shows_no_arguments(with_area(" 500 501 600 700 0\n")));
  // Hidden from whoever may not trace it, and not yet set in the middle of an exec.
  CHECK_FALSE(shows_no_arguments(with_area(" 0 0 0 0 0\n")));
  CHECK_FALSE(shows_no_arguments(with_area("")));
  CHECK_FALSE(shows_no_arguments(""));
}

TEST_CASE("stat: the image differs with the program and its arguments, and with nothing else") {
  const auto with = [](const char* flags, const char* cpu, const char* vsize, const char* code,
                       const char* stack, const char* arguments) {
    return image_of(std::string("9 (a) b) S 1 9 9 0 -1 ") + flags + " 0 0 0 0 " + cpu +
                    " 0 0 0 20 0 1 0 100 " + vsize + " 50 99 " + code + " 2 " + stack +
                    " 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 3 4 5 " + arguments + " 7 8 9 0");
  };
  const uint64_t image = with("4194304", "1", "4096", "100", "900", "500");
  CHECK(image == with("4194304", "77", "8192", "100", "900", "500"));
  CHECK(image != with("4194304", "1", "4096", "101", "900", "500"));
  CHECK(image != with("4194304", "1", "4096", "100", "901", "500"));
  CHECK(image != with("4194304", "1", "4096", "100", "900", "501"));
  // Forked, and no exec since.
  CHECK(image != with("4194368", "1", "4096", "100", "900", "500"));
  // Addresses that we may not see.
  CHECK(with("0", "1", "4096", "1", "0", "0") != with("0", "1", "8192", "1", "0", "0"));
  CHECK(image_of("") == 0);
  CHECK(image_of("9 (a") == 0);
}

}  // namespace procscope
