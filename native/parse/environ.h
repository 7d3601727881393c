#pragma once

#include <span>
#include <string>
#include <string_view>

namespace procscope {

/// Finds the named keys in the bytes of /proc/<pid>/environ and appends to `out`, for each key in
/// order: '=' value NUL where it is set, '-' NUL where it is not, '?' NUL where the bytes were cut
/// (`complete` false) and the key may stand behind the cut. The first occurrence counts, as in
/// getenv(3). No other value is looked at longer than its key, and none is copied.
void select_environ(std::string_view bytes, std::span<const std::string> keys, bool complete,
                    std::string& out);

}  // namespace procscope
