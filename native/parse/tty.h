#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace procscope {

/// One line of /proc/tty/drivers: `name /dev/base major first[-last] type`.
struct TtyDriver {
  std::string base;
  uint32_t major = 0;
  uint32_t first = 0;
  uint32_t last = 0;
};

/// Lines that are not of this form are left out.
std::vector<TtyDriver> parse_tty_drivers(std::string_view bytes);

/// Takes a device number of `stat` apart: bits 31-20 and 7-0 are the minor, 19-8 the major.
struct TtyDevice {
  uint32_t major = 0;
  uint32_t minor = 0;
};
TtyDevice split_tty_device(uint32_t device);

/// Name below /dev, such as `pts/3` or `ttyS0`; empty if no driver claims the device.
std::string tty_name(uint32_t device, const std::vector<TtyDriver>& drivers);

}  // namespace procscope
