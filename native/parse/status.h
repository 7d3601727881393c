#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace procscope {

/// The lines of /proc/<pid>/status that rows use. proc_pid_status(5). Older kernels leave lines
/// out, so each may be missing.
struct ProcStatus {
  struct Ids {
    uint32_t real = 0;
    uint32_t effective = 0;
  };
  std::optional<Ids> uid;
  std::optional<Ids> gid;
  /// Pids from the outermost namespace inward, in decimal, separated by tabs.
  std::optional<std::string_view> nspid;
};

/// Never fails: what is not there stays empty.
ProcStatus parse_status(std::string_view bytes);

}  // namespace procscope
