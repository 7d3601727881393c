#include "parse/usage.h"

#include <array>
#include <limits>

#include "base/scan.h"

namespace procscope {

namespace {

/// `<number> kB` as bytes, if they fit.
std::optional<uint64_t> kilobytes(Scan& scan) {
  constexpr uint64_t kUnit = 1024;
  const auto value = scan.number<uint64_t>();
  if (!value || *value > std::numeric_limits<uint64_t>::max() / kUnit || scan.word() != "kB") {
    return std::nullopt;
  }
  return *value * kUnit;
}

}  // namespace

std::optional<ProcIo> parse_io(std::string_view bytes) {
  struct Line {
    std::string_view key;
    uint64_t ProcIo::*member;
  };
  static constexpr std::array<Line, 7> kLines = {{
      {"rchar:", &ProcIo::rchar},
      {"wchar:", &ProcIo::wchar},
      {"syscr:", &ProcIo::syscr},
      {"syscw:", &ProcIo::syscw},
      {"read_bytes:", &ProcIo::read_bytes},
      {"write_bytes:", &ProcIo::write_bytes},
      {"cancelled_write_bytes:", &ProcIo::cancelled_write_bytes},
  }};
  ProcIo io;
  Scan scan(bytes);
  for (const Line& line : kLines) {
    Scan rest(scan.line());
    if (rest.word() != line.key) {
      return std::nullopt;
    }
    const auto value = rest.number<uint64_t>();
    if (!value) {
      return std::nullopt;
    }
    io.*line.member = *value;
  }
  return io;
}

UsageStatus parse_usage_status(std::string_view bytes) {
  UsageStatus status;
  Scan scan(bytes);
  // The name comes first and is the only line with a stranger's text; the kernel escapes newlines.
  while (!scan.empty()) {
    Scan line(scan.line());
    const std::string_view key = line.until(':');
    if (key == "VmRSS") {
      status.rss = kilobytes(line);
    } else if (key == "VmHWM") {
      status.peak_rss = kilobytes(line);
    } else if (key == "VmSwap") {
      status.swap = kilobytes(line);
    } else if (key == "voluntary_ctxt_switches") {
      status.voluntary = line.number<uint64_t>();
    } else if (key == "nonvoluntary_ctxt_switches") {
      status.involuntary = line.number<uint64_t>();
    }
  }
  return status;
}

std::optional<uint64_t> parse_pss(std::string_view bytes) {
  Scan scan(bytes);
  while (!scan.empty()) {
    Scan line(scan.line());
    if (line.until(':') == "Pss") {
      return kilobytes(line);
    }
  }
  return std::nullopt;
}

std::optional<ProcStatm> parse_statm(std::string_view bytes) {
  Scan scan(bytes);
  const auto size = scan.number<uint64_t>();
  const auto resident = scan.number<uint64_t>();
  if (!size || !resident) {
    return std::nullopt;
  }
  return ProcStatm{*size, *resident};
}

std::optional<uint64_t> parse_schedstat(std::string_view bytes) {
  return Scan(bytes).number<uint64_t>();
}

std::optional<Loadavg> parse_loadavg(std::string_view bytes) {
  constexpr int kAverages = 3;
  Scan scan(bytes);
  for (int i = 0; i < kAverages; ++i) {
    scan.word();
  }
  Scan counts(scan.word());
  counts.until('/');
  const auto tasks = counts.number<int32_t>();
  const auto last_pid = scan.number<int32_t>();
  if (!tasks || !last_pid) {
    return std::nullopt;
  }
  return Loadavg{*tasks, *last_pid};
}

}  // namespace procscope
