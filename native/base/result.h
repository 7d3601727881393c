#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace procscope {

/// Why a value is missing. The order is part of what crosses to JS (columns.h).
enum class FaultKind : uint8_t {
  kNone = 0,
  kDenied,
  kGone,
  kUnsupported,
  kTimeout,
  kTruncated,
  kMalformed,
  kLimit,
  kIo,
  kInternal,
};

/// The calls that can fail, as they are named to the user. Kept as a number so that a fault on a
/// row costs no string.
enum class Call : uint8_t {
  kNone = 0,
  kOpen,
  kRead,
  kReadlink,
  kStat,
  kGetdents,
  kParse,
  kGetpwuid,
  kRealpath,
  kThread,
  kQuery,
};

/// One failed look: kind, the system's error number (0 where it gave none), the call and the path
/// it was made on.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  int32_t code = 0;
  Call call = Call::kNone;
  std::string path;
};

/// A value or the fault that kept it away. Valid at birth: there is no empty state.
template <typename T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Fault fault) : state_(std::move(fault)) {}

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() { return std::get<T>(state_); }
  [[nodiscard]] const T& value() const { return std::get<T>(state_); }
  [[nodiscard]] const Fault& fault() const { return std::get<Fault>(state_); }

 private:
  std::variant<T, Fault> state_;
};

const char* fault_kind_name(FaultKind kind);
const char* call_name(Call call);

inline constexpr int kFaultKinds = 10;
inline constexpr int kCalls = 11;

}  // namespace procscope
