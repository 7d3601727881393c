#include "base/result.h"

#include <array>

namespace procscope {

namespace {

constexpr std::array<const char*, kFaultKinds> kKindNames = {
    "none",      "denied",    "gone",  "unsupported", "timeout",
    "truncated", "malformed", "limit", "io",          "internal"};

constexpr std::array<const char*, kCalls> kCallNames = {"",         "open",     "read",  "readlink",
                                                        "stat",     "getdents", "parse", "getpwuid",
                                                        "realpath", "thread",   "query"};

}  // namespace

const char* fault_kind_name(FaultKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : "internal";
}

const char* call_name(Call call) {
  const auto index = static_cast<size_t>(call);
  return index < kCallNames.size() ? kCallNames[index] : "";
}

}  // namespace procscope
