#include "parse/status.h"

#include "base/scan.h"

namespace procscope {

namespace {

std::optional<ProcStatus::Ids> parse_ids(std::string_view line) {
  Scan scan(line);
  const auto real = scan.number<uint32_t>();
  const auto effective = scan.number<uint32_t>();
  if (!real || !effective) {
    return std::nullopt;
  }
  return ProcStatus::Ids{*real, *effective};
}

std::optional<std::string_view> parse_pids(std::string_view line) {
  Scan scan(line);
  scan.skip_blanks();
  const std::string_view pids = scan.rest();
  if (pids.empty() || pids.find_first_not_of("0123456789\t") != std::string_view::npos) {
    return std::nullopt;
  }
  return pids;
}

}  // namespace

ProcStatus parse_status(std::string_view bytes) {
  ProcStatus status;
  Scan scan(bytes);
  // The kernel escapes newlines in the Name line, so a line that starts with a key is that key.
  while (!scan.empty()) {
    Scan line(scan.line());
    if (line.skip("Uid:")) {
      status.uid = parse_ids(line.rest());
    } else if (line.skip("Gid:")) {
      status.gid = parse_ids(line.rest());
    } else if (line.skip("NSpid:")) {
      status.nspid = parse_pids(line.rest());
    }
  }
  return status;
}

}  // namespace procscope
