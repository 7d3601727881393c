#include "parse/status.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  const auto status = procscope::parse_status(bytes);
  if (status.nspid) {
    procscope::fuzz::require(!status.nspid->empty());
    procscope::fuzz::require_inside(bytes, *status.nspid);
  }
  return 0;
}
