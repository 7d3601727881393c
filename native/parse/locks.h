#pragma once

#include <optional>
#include <string_view>

#include "model/descriptor.h"

namespace procscope {

/// Parses one line of /proc/locks, or what follows `lock:` in fdinfo; `state` points into `line`.
/// proc_locks(5); lock_get_status in fs/locks.c.
struct LockLine {
  LockRow row;
  std::string_view state;
};
std::optional<LockLine> parse_lock(std::string_view line);

}  // namespace procscope
