#include "parse/mountinfo.h"

#include <algorithm>
#include <array>

#include "base/scan.h"

namespace procscope {

std::optional<MountLine> parse_mount(std::string_view line) {
  Scan scan(line);
  for (int i = 0; i < 4; ++i) {
    scan.word();  // mount id, parent, device, root
  }
  MountLine mount;
  mount.mount_point = scan.word();
  // Options and any number of optional fields, up to a lone dash.
  std::string_view word = scan.word();
  while (!word.empty() && word != "-") {
    word = scan.word();
  }
  mount.type = scan.word();
  if (!mount.mount_point.starts_with('/') || word != "-" || mount.type.empty()) {
    return std::nullopt;
  }
  return mount;
}

bool is_remote(std::string_view type) {
  constexpr std::array<std::string_view, 9> kTypes = {"9p",     "afs",  "autofs",   "ceph", "cifs",
                                                      "lustre", "smb3", "virtiofs", "fuse"};
  return type.starts_with("fuse.") || type.starts_with("nfs") ||
         std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

}  // namespace procscope
