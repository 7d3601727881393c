#include "parse/net_address.h"

#include <algorithm>
#include <string>

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  const auto parsed = procscope::parse_hex_address(bytes);
  require(!parsed || bytes.size() == 8 || bytes.size() == 32);

  procscope::Address address{};
  std::copy_n(data, std::min(size, address.size()), address.begin());
  std::string text;
  procscope::append_ipv6(text, address);
  // The longest text is a v4-mapped one or eight full groups.
  require(text.size() >= 2 && text.size() <= 39);
  require(text.find_first_not_of("0123456789abcdef:.") == std::string::npos);
  require(text.find("::") == text.rfind("::"));
  require(text.find(":::") == std::string::npos);
  std::string four;
  procscope::append_ipv4(four, address.data());
  require(std::count(four.begin(), four.end(), '.') == 3 && four.size() <= 15);
  return 0;
}
