#pragma once

#include <optional>
#include <string_view>

namespace procscope {

/// A line of /proc/<pid>/mountinfo. proc_pid_mountinfo(5). The mount point is octal-escaped.
struct MountLine {
  std::string_view mount_point;
  std::string_view type;
};
std::optional<MountLine> parse_mount(std::string_view line);

/// Whether files of this type are answered by another program or another machine.
bool is_remote(std::string_view file_system_type);

}  // namespace procscope
