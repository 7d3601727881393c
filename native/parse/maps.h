#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace procscope {

/// A mapped file in a line of /proc/<pid>/maps. proc_pid_maps(5).
struct MappedFile {
  uint32_t major = 0;
  uint32_t minor = 0;
  uint64_t ino = 0;
  /// As shown: a newline stands as \012.
  std::string_view path;
};

/// Nothing for mappings that have no file, and for lines of another form.
std::optional<MappedFile> parse_mapping(std::string_view line);

/// The path of a mapping: maps escapes newlines and nothing else. A name that really holds `\012`
/// looks the same.
std::string unescape_newlines(std::string_view text);

/// Undoes the octal escapes (\012 \040 \134 ...) of seq_path(). Anything else stays as it is.
std::string unescape_octal(std::string_view text);

}  // namespace procscope
