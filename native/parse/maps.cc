#include "parse/maps.h"

#include "base/scan.h"

namespace procscope {

std::optional<MappedFile> parse_mapping(std::string_view line) {
  Scan scan(line);
  scan.word();  // address range
  scan.word();  // permissions
  scan.word();  // offset
  Scan device(scan.word());
  const auto major = whole_number<uint32_t>(device.until(':'), 16);
  const auto minor = whole_number<uint32_t>(device.rest(), 16);
  const auto ino = scan.number<uint64_t>();
  scan.skip_blanks();
  if (!major || !minor || !ino || *ino == 0 || scan.empty()) {
    return std::nullopt;
  }
  return MappedFile{*major, *minor, *ino, scan.rest()};
}

std::string unescape_newlines(std::string_view text) {
  constexpr std::string_view kNewline = "\\012";
  std::string out;
  out.reserve(text.size());
  for (size_t at = text.find(kNewline); at != std::string_view::npos; at = text.find(kNewline)) {
    out.append(text.substr(0, at)).push_back('\n');
    text.remove_prefix(at + kNewline.size());
  }
  return out.append(text);
}

std::string unescape_octal(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' && is_octal(text[i + 1]) &&
        is_octal(text[i + 2]) && is_octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 |
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace procscope
