#include "parse/proc_event.h"

#include <cstring>

namespace procscope {

namespace {

/// sizeof(struct nlmsghdr); its first word is the length of the message.
constexpr size_t kNetlinkHead = 16;
/// sizeof(struct cn_msg): idx, val, seq, ack, and the length of what follows in 16 bits.
constexpr size_t kConnectorHead = 20;
constexpr size_t kLengthInConnector = 16;
/// struct proc_event: what, cpu and a time stamp, then what the event is about.
constexpr size_t kEventHead = 16;

/// CN_IDX_PROC and CN_VAL_PROC.
constexpr uint32_t kProcIndex = 1;
constexpr uint32_t kProcValue = 1;

/// enum proc_cn_event.
constexpr uint32_t kNone = 0;
constexpr uint32_t kFork = 1;
constexpr uint32_t kExec = 2;
constexpr uint32_t kUid = 4;
constexpr uint32_t kGid = 0x40;
constexpr uint32_t kSid = 0x80;
constexpr uint32_t kComm = 0x200;
constexpr uint32_t kExit = 0x80000000;

template <typename T>
std::optional<T> at(std::string_view bytes, size_t offset) {
  if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) {
    return std::nullopt;
  }
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

ProcEvent::Kind kind_of(uint32_t what) {
  switch (what) {
    case kNone:
      return ProcEvent::Kind::kAnswer;
    case kFork:
      return ProcEvent::Kind::kFork;
    case kExec:
      return ProcEvent::Kind::kExec;
    case kExit:
      return ProcEvent::Kind::kExit;
    case kComm:
      return ProcEvent::Kind::kName;
    case kUid:
    case kGid:
    case kSid:
      return ProcEvent::Kind::kIds;
    default:
      return ProcEvent::Kind::kOther;
  }
}

/// What follows the heads, if the heads are the connector's and tell the truth about the length.
std::optional<std::string_view> event_in(std::string_view message) {
  const auto total = at<uint32_t>(message, 0);
  const auto index = at<uint32_t>(message, kNetlinkHead);
  const auto value = at<uint32_t>(message, kNetlinkHead + sizeof(uint32_t));
  const auto length = at<uint16_t>(message, kNetlinkHead + kLengthInConnector);
  if (!total || *total > message.size() || index != kProcIndex || value != kProcValue || !length) {
    return std::nullopt;
  }
  const std::string_view rest = message.substr(0, *total);
  if (rest.size() < kNetlinkHead + kConnectorHead + *length) {
    return std::nullopt;
  }
  return rest.substr(kNetlinkHead + kConnectorHead, *length);
}

}  // namespace

std::optional<ProcEvent> parse_proc_event(std::string_view message) {
  const auto event = event_in(message);
  const auto what = event ? at<uint32_t>(*event, 0) : std::nullopt;
  if (!what) {
    return std::nullopt;
  }
  ProcEvent parsed;
  parsed.kind = kind_of(*what);
  if (parsed.kind == ProcEvent::Kind::kOther) {
    return parsed;
  }
  if (parsed.kind == ProcEvent::Kind::kAnswer) {
    const auto code = at<int32_t>(*event, kEventHead);
    parsed.code = code.value_or(0);
    return code ? std::optional(parsed) : std::nullopt;
  }
  // A fork names the parent first.
  const size_t about =
      kEventHead + (parsed.kind == ProcEvent::Kind::kFork ? 2 * sizeof(int32_t) : 0);
  const auto pid = at<int32_t>(*event, about);
  const auto tgid = at<int32_t>(*event, about + sizeof(int32_t));
  if (!pid || !tgid) {
    return std::nullopt;
  }
  parsed.pid = *pid;
  parsed.tgid = *tgid;
  return parsed;
}

}  // namespace procscope
