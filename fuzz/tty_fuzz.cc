#include "parse/tty.h"

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  const auto drivers = procscope::parse_tty_drivers(bytes);
  for (const auto& driver : drivers) {
    require(!driver.base.empty() && driver.first <= driver.last);
    const uint32_t device =
        (driver.first & 0xff) | (driver.first & 0xfff00) << 12 | (driver.major & 0xfff) << 8;
    procscope::tty_name(device, drivers);
  }
  uint32_t device = 0;
  for (size_t i = 0; i < size && i < sizeof device; ++i) {
    device = device << 8 | data[i];
  }
  require(device != 0 || procscope::tty_name(device, drivers).empty());
  procscope::tty_name(device, drivers);
  return 0;
}
