#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/socket.h"

namespace procscope {

/// Appends four bytes in network order as `a.b.c.d`.
void append_ipv4(std::string& to, const uint8_t* bytes);

/// Appends the canonical text of RFC 5952: lower case, the longest run of zeros (the first of
/// several) as `::`, and a v4-mapped address with its IPv4 part in dots.
void append_ipv6(std::string& to, const Address& address);

/// ::ffff:0:0/96.
bool is_v4_mapped(const Address& address);
/// All zeros: "any" where one listens, "none" where nobody is at the other end.
bool is_unspecified(const Address& address);

/// The hexadecimal form of /proc/net: 8 digits or 32, each group of 8 a word in the byte order of
/// the machine. Nothing if it is not exactly that.
std::optional<Address> parse_hex_address(std::string_view digits);

}  // namespace procscope
