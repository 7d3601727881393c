#include "base/scan.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using procscope::Scan;
using procscope::whole_number;

TEST_CASE("a scan takes words and lines and never passes the end") {
  Scan scan("pos:\t12\nflags: 0100002\nlast");
  CHECK(scan.skip("pos:"));
  CHECK(scan.number<int64_t>() == std::optional<int64_t>(12));
  CHECK(scan.line().empty());
  CHECK_FALSE(scan.skip("pos:"));
  CHECK(scan.until(':') == "flags");
  CHECK(scan.number<uint32_t>(8) == std::optional<uint32_t>(0100002));
  CHECK(scan.line().empty());
  CHECK(scan.line() == "last");
  CHECK(scan.empty());
  CHECK(scan.line().empty());
  CHECK(scan.word().empty());
  CHECK_FALSE(scan.number<int>().has_value());
}

TEST_CASE("bytes that are no text pass through a scan") {
  const std::string bytes("a\0b \xff\xfe\n", 7);
  Scan scan(bytes);
  CHECK(scan.word() == std::string_view("a\0b", 3));
  CHECK(scan.word() == "\xff\xfe");
}

TEST_CASE("a number counts only when it is whole and fits") {
  CHECK(whole_number<uint8_t>("255") == std::optional<uint8_t>(255));
  CHECK_FALSE(whole_number<uint8_t>("256").has_value());
  CHECK_FALSE(whole_number<int>("").has_value());
  CHECK_FALSE(whole_number<int>("12x").has_value());
  CHECK_FALSE(whole_number<int>(" 12").has_value());
  CHECK_FALSE(whole_number<uint32_t>("-1").has_value());
  CHECK(whole_number<uint64_t>("18446744073709551615") == std::optional<uint64_t>(UINT64_MAX));
  CHECK_FALSE(whole_number<uint64_t>("18446744073709551616").has_value());
}
