#include "parse/tty.h"

#include <optional>

#include "base/scan.h"

namespace procscope {

namespace {

constexpr uint32_t kPtsMajor = 136;
constexpr uint32_t kPtsMajors = 8;
constexpr uint32_t kConsoleMajor = 4;
constexpr uint32_t kSerialFirst = 64;

std::optional<TtyDriver> parse_driver(std::string_view line) {
  Scan scan(line);
  scan.word();
  Scan path(scan.word());
  TtyDriver driver;
  if (!path.skip("/dev/") || path.empty()) {
    return std::nullopt;
  }
  driver.base = path.rest();
  const auto major = scan.number<uint32_t>();
  Scan range(scan.word());
  const auto first = whole_number<uint32_t>(range.until('-'));
  const auto last = range.empty() ? first : whole_number<uint32_t>(range.rest());
  if (!major || !first || !last || *last < *first) {
    return std::nullopt;
  }
  driver.major = *major;
  driver.first = *first;
  driver.last = *last;
  return driver;
}

std::string numbered(const TtyDriver& driver, uint32_t minor) {
  if (driver.first == driver.last) {
    return driver.base;
  }
  // Virtual consoles are numbered from their minor, all others from the first of their range.
  const bool console = driver.major == kConsoleMajor && driver.base == "tty";
  return driver.base + std::to_string(console ? minor : minor - driver.first);
}

}  // namespace

std::vector<TtyDriver> parse_tty_drivers(std::string_view bytes) {
  std::vector<TtyDriver> drivers;
  Scan scan(bytes);
  while (!scan.empty()) {
    if (auto driver = parse_driver(scan.line())) {
      drivers.push_back(std::move(*driver));
    }
  }
  return drivers;
}

TtyDevice split_tty_device(uint32_t device) {
  return {(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)};
}

std::string tty_name(uint32_t device, const std::vector<TtyDriver>& drivers) {
  if (device == 0) {
    return {};
  }
  const auto [major, minor] = split_tty_device(device);
  // The kernel fixes these majors (Documentation/admin-guide/devices.txt), and nearly every
  // terminal is one of them: no table is needed.
  if (major >= kPtsMajor && major < kPtsMajor + kPtsMajors) {
    return "pts/" + std::to_string((major - kPtsMajor) * 256 + minor);
  }
  for (const TtyDriver& driver : drivers) {
    if (driver.major == major && minor >= driver.first && minor <= driver.last) {
      return numbered(driver, minor);
    }
  }
  if (major == kConsoleMajor) {
    return minor < kSerialFirst ? "tty" + std::to_string(minor)
                                : "ttyS" + std::to_string(minor - kSerialFirst);
  }
  return {};
}

}  // namespace procscope
