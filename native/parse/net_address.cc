#include "parse/net_address.h"

#include <array>
#include <charconv>
#include <cstring>

#include "base/scan.h"

namespace procscope {

namespace {

constexpr size_t kGroups = 8;
constexpr size_t kMappedPrefix = 12;
constexpr size_t kWordDigits = 8;

void append_number(std::string& to, unsigned value, int base) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  to.append(digits.data(), end);
}

struct Run {
  size_t start = kGroups;
  size_t length = 0;
};

/// The first of the longest runs of zero groups that is worth `::`.
Run longest_zeros(const std::array<unsigned, kGroups>& groups) {
  Run best;
  size_t length = 0;
  for (size_t i = 0; i < kGroups; ++i) {
    length = groups[i] == 0 ? length + 1 : 0;
    if (length > 1 && length > best.length) {
      best = {i + 1 - length, length};
    }
  }
  return best;
}

}  // namespace

void append_ipv4(std::string& to, const uint8_t* bytes) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      to += '.';
    }
    append_number(to, bytes[i], 10);
  }
}

void append_ipv6(std::string& to, const Address& address) {
  if (is_v4_mapped(address)) {
    to += "::ffff:";
    append_ipv4(to, address.data() + kMappedPrefix);
    return;
  }
  std::array<unsigned, kGroups> groups{};
  for (size_t i = 0; i < kGroups; ++i) {
    groups[i] = static_cast<unsigned>(address[2 * i] << 8 | address[2 * i + 1]);
  }
  const Run zeros = longest_zeros(groups);
  for (size_t i = 0; i < kGroups; ++i) {
    if (i == zeros.start) {
      to += "::";
      i += zeros.length - 1;
      continue;
    }
    if (i > 0 && i != zeros.start + zeros.length) {
      to += ':';
    }
    append_number(to, groups[i], 16);
  }
}

bool is_v4_mapped(const Address& address) {
  constexpr std::array<uint8_t, kMappedPrefix> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(address.data(), kPrefix.data(), kMappedPrefix) == 0;
}

bool is_unspecified(const Address& address) { return address == Address{}; }

std::optional<Address> parse_hex_address(std::string_view digits) {
  if (digits.size() != kWordDigits && digits.size() != 4 * kWordDigits) {
    return std::nullopt;
  }
  Address address{};
  for (size_t at = 0; at < digits.size(); at += kWordDigits) {
    const auto word = whole_number<uint32_t>(digits.substr(at, kWordDigits), 16);
    if (!word) {
      return std::nullopt;
    }
    // The kernel prints the number that the four bytes are to this machine.
    std::memcpy(address.data() + at / 2, &*word, sizeof *word);
  }
  return address;
}

}  // namespace procscope
