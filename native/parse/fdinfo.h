#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace procscope {

/// /proc/<pid>/fdinfo/<fd>. proc_pid_fdinfo(5). Views point into the input.
struct FdInfo {
  std::optional<uint64_t> offset;
  /// Flags of open(2).
  std::optional<uint32_t> flags;
  /// First field of mountinfo.
  std::optional<int32_t> mount_id;
  /// Since Linux 5.14.
  std::optional<uint64_t> ino;
  /// What follows `lock:` in each such line.
  std::vector<std::string_view> locks;
  /// From the first line that only this kind of file has to the end, without lock lines.
  std::string_view details;
};

/// Never fails: what is not there stays empty.
FdInfo parse_fdinfo(std::string_view bytes);

}  // namespace procscope
