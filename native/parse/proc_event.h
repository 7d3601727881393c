#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace procscope {

/// One message of the process events connector: include/uapi/linux/{netlink,connector,cn_proc}.h.
struct ProcEvent {
  enum class Kind : uint8_t {
    /// The answer to a subscription; `code` is the error number, 0 = subscribed.
    kAnswer,
    kFork,
    kExec,
    kExit,
    kName,
    /// Real or effective ids, or the session.
    kIds,
    kOther,
  };

  Kind kind = Kind::kOther;
  /// The thread that it is about (of a fork: the new one) and its process.
  int32_t pid = 0;
  int32_t tgid = 0;
  int32_t code = 0;
};

/// Nothing if the message is cut short or is not one of the connector's.
std::optional<ProcEvent> parse_proc_event(std::string_view message);

}  // namespace procscope
