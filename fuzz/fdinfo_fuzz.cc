#include "parse/fdinfo.h"

#include "fuzz.h"

using procscope::fuzz::require;
using procscope::fuzz::require_inside;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  const procscope::FdInfo info = procscope::parse_fdinfo(bytes);
  require_inside(bytes, info.details);
  for (const std::string_view lock : info.locks) {
    require_inside(bytes, lock);
    require(lock.find('\n') == std::string_view::npos);
  }
  return 0;
}
