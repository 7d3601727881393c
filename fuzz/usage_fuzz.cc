#include "parse/usage.h"

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes = procscope::fuzz::text(data, size);
  const auto status = procscope::parse_usage_status(bytes);
  // Sizes are whole kilobytes: a product that does not fit is refused and never wrapped.
  require(!status.peak_rss || *status.peak_rss % 1024 == 0);
  require(!status.swap || *status.swap % 1024 == 0);
  const auto pss = procscope::parse_pss(bytes);
  require(!pss || *pss % 1024 == 0);
  if (const auto io = procscope::parse_io(bytes)) {
    require(bytes.starts_with("rchar:") || bytes.starts_with(" ") || bytes.starts_with("\t"));
  }
  const auto statm = procscope::parse_statm(bytes);
  const auto first = procscope::parse_schedstat(bytes);
  require(!statm || (first && *first == statm->size));
  procscope::parse_loadavg(bytes);
  return 0;
}
