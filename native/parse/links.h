#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace procscope {

/// The inode number in a namespace link such as `pid:[4026531836]`. namespaces(7).
std::optional<uint64_t> parse_namespace_link(std::string_view link, std::string_view kind);

/// What the kernel appends to the path of an unlinked file (d_path in fs/d_path.c).
inline constexpr std::string_view kDeletedSuffix = " (deleted)";

/// The boot time in seconds since the epoch, from the `btime` line of /proc/stat. proc_stat(5).
std::optional<uint64_t> parse_btime(std::string_view bytes);

/// A boot id: 36 characters of hexadecimal digits and dashes, with or without a newline behind.
/// random(4).
std::optional<std::string_view> parse_boot_id(std::string_view bytes);

/// A directory entry of /proc that is a pid: decimal, no sign, no leading zero, fits int32.
std::optional<int32_t> parse_pid_name(std::string_view name);

}  // namespace procscope
