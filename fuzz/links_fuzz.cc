#include "parse/links.h"

#include <string>

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);

  if (const auto inode = procscope::parse_namespace_link(bytes, "pid")) {
    require(bytes.starts_with("pid:[") && bytes.ends_with("]"));
  }
  procscope::parse_btime(bytes);
  if (const auto id = procscope::parse_boot_id(bytes)) {
    require(id->size() == 36);
    procscope::fuzz::require_inside(bytes, *id);
  }
  if (const auto pid = procscope::parse_pid_name(bytes)) {
    // Exactly one spelling a pid, or one process would be listed twice.
    require(*pid > 0 && std::to_string(*pid) == bytes);
  }
  return 0;
}
