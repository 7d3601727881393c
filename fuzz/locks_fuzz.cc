#include "parse/locks.h"

#include "fuzz.h"

using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = procscope::fuzz::text(data, size);
  const auto lock = procscope::parse_lock(bytes);
  if (lock) {
    procscope::fuzz::require_inside(bytes, lock->state);
    require(lock->row.type <= static_cast<uint8_t>(procscope::LockType::kOther));
    require(lock->row.mode <= static_cast<uint8_t>(procscope::LockMode::kNone));
    require(lock->row.holder == 0 && lock->row.fd == -1);
  }
  return 0;
}
