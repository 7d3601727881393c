#include "parse/environ.h"

#include <optional>
#include <vector>

#include "base/scan.h"

namespace procscope {

void select_environ(std::string_view bytes, std::span<const std::string> keys, bool complete,
                    std::string& out) {
  std::vector<std::optional<std::string_view>> found(keys.size());
  Scan scan(bytes);
  while (!scan.empty()) {
    // A last entry without its NUL was cut: its value is not the value.
    const bool ends = scan.rest().find('\0') != std::string_view::npos;
    const std::string_view entry = scan.until('\0');
    if (!ends && !complete) {
      break;
    }
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view key = entry.substr(0, equals);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!found[i] && key == keys[i]) {
        found[i] = entry.substr(equals + 1);
      }
    }
  }
  for (const auto& value : found) {
    if (value) {
      out += '=';
      out += *value;
    } else {
      out += complete ? '-' : '?';
    }
    out += '\0';
  }
}

}  // namespace procscope
