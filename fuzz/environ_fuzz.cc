#include "parse/environ.h"

#include <string>
#include <vector>

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<std::string> kKeys = {"HOME", "PATH", "A", "A", ""};
  std::string_view bytes = procscope::fuzz::text(data, size);
  const bool complete = (procscope::fuzz::take_byte(bytes) & 1) == 0;

  std::string out;
  procscope::select_environ(bytes, kKeys, complete, out);

  // One answer a key, each of the documented form: whatever else crossed would be misread.
  std::string_view rest = out;
  for (size_t i = 0; i < kKeys.size(); ++i) {
    const size_t end = rest.find('\0');
    require(end != std::string_view::npos && end >= 1);
    const char kind = rest[0];
    require(kind == '=' || (kind == (complete ? '-' : '?') && end == 1));
    rest.remove_prefix(end + 1);
  }
  require(rest.empty());
  return 0;
}
