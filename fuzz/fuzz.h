#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace procscope::fuzz {

/// The input as text. It lies in a block of exactly this size, so that AddressSanitizer sees the
/// first byte that is read too far.
inline std::string_view text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program where a promise of the parser does not hold; libFuzzer keeps the input.
inline void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

/// A view that a parser gives out points into its input or nowhere.
inline void require_inside(std::string_view whole, std::string_view part) {
  require(part.empty() || (part.data() >= whole.data() &&
                           part.data() + part.size() <= whole.data() + whole.size()));
}

/// Takes the first byte off the input, for targets that need a choice beside the bytes.
inline uint8_t take_byte(std::string_view& bytes) {
  if (bytes.empty()) {
    return 0;
  }
  const auto first = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return first;
}

}  // namespace procscope::fuzz
