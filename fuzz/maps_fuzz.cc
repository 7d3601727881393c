#include "parse/maps.h"

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  const auto mapped = procscope::parse_mapping(bytes);
  if (mapped) {
    procscope::fuzz::require_inside(bytes, mapped->path);
    require(mapped->ino != 0 && !mapped->path.empty());
  }
  for (const auto unescape : {procscope::unescape_octal, procscope::unescape_newlines}) {
    const std::string plain = unescape(bytes);
    require(plain.size() <= bytes.size());
    // What holds no backslash stays as it is.
    require(bytes.find('\\') != std::string_view::npos || plain == bytes);
  }
  return 0;
}
