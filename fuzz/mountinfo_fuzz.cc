#include "parse/mountinfo.h"

#include "fuzz.h"

using procscope::fuzz::require;
using procscope::fuzz::require_inside;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  if (const auto mount = procscope::parse_mount(bytes)) {
    require_inside(bytes, mount->mount_point);
    require_inside(bytes, mount->type);
    require(mount->mount_point.front() == '/');
    require(!mount->type.empty());
  }
  return 0;
}
