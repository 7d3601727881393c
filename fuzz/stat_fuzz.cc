#include "parse/stat.h"

#include <string>

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  procscope::image_of(bytes);
  const auto stat = procscope::parse_stat(bytes);
  if (!stat) {
    return 0;
  }
  require(stat->pid > 0);
  procscope::fuzz::require_inside(bytes, stat->comm);
  // Later kernels append fields: that never changes what the earlier ones say.
  const std::string longer = std::string(bytes) + " 17";
  const auto again = procscope::parse_stat(longer);
  require(again.has_value());
  require(again->pid == stat->pid && again->comm == stat->comm && again->start == stat->start &&
          again->rss == stat->rss);
  return 0;
}
