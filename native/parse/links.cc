#include "parse/links.h"

#include "base/scan.h"

namespace procscope {

namespace {
constexpr size_t kBootIdLength = 36;
}

std::optional<uint64_t> parse_namespace_link(std::string_view link, std::string_view kind) {
  Scan scan(link);
  if (!scan.skip(kind) || !scan.skip(":[") || !scan.rest().ends_with(']')) {
    return std::nullopt;
  }
  const std::string_view digits = scan.rest();
  return whole_number<uint64_t>(digits.substr(0, digits.size() - 1));
}

std::optional<uint64_t> parse_btime(std::string_view bytes) {
  Scan scan(bytes);
  while (!scan.empty()) {
    Scan line(scan.line());
    if (line.skip("btime ")) {
      return whole_number<uint64_t>(line.rest());
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> parse_boot_id(std::string_view bytes) {
  const std::string_view id = Scan(bytes).line();
  if (id.size() != kBootIdLength ||
      id.find_first_not_of("0123456789abcdefABCDEF-") != std::string_view::npos) {
    return std::nullopt;
  }
  return id;
}

std::optional<int32_t> parse_pid_name(std::string_view name) {
  if (name.empty() || name[0] < '1' || name[0] > '9') {
    return std::nullopt;
  }
  return whole_number<int32_t>(name);
}

}  // namespace procscope
