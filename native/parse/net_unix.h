#pragma once

#include <optional>
#include <string_view>

#include "model/socket.h"

namespace procscope {

/// Walks the records of /proc/net/unix. A path may hold newlines, which the kernel prints as they
/// are: a line that is no record of its own belongs to the path before it. (So a path can be chosen
/// that looks like a record; only netlink tells the two apart.) The file shows every NUL of an
/// abstract name as `@`, and neither the peer, nor the queues, nor the owner.
class NetUnix {
 public:
  explicit NetUnix(std::string_view file);

  /// The next socket; nothing at the end.
  std::optional<ParsedSocket> next();

  /// Lines before the first record, other than the heading, that could not be understood.
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  std::string_view rest_;
  bool malformed_ = false;
};

}  // namespace procscope
