#include "parse/net_unix.h"

#include <algorithm>
#include <cstdint>

#include "base/scan.h"

namespace procscope {

namespace {

/// SS_UNCONNECTED and its neighbours in include/uapi/linux/net.h.
enum KernelState : uint8_t { kUnconnected = 1, kDisconnecting = 4 };
/// __SO_ACCEPTCON in the same file.
constexpr uint32_t kAccepts = 1 << 16;

std::string_view line_at(std::string_view bytes) { return bytes.substr(0, bytes.find('\n')); }

bool is_hex(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A record without the rest of its path, if these bytes start with one.
std::optional<ParsedSocket> parse_record(std::string_view line) {
  Scan scan(line);
  const std::string_view address = scan.word();
  if (!address.ends_with(':') || !is_hex(address.substr(0, address.size() - 1)) ||
      line.starts_with(' ')) {
    return std::nullopt;
  }
  const auto references = scan.number<uint32_t>(16);
  const auto protocol = scan.number<uint32_t>(16);
  const auto flags = scan.number<uint32_t>(16);
  const auto type = scan.number<uint16_t>(16);
  const auto state = scan.number<uint8_t>(16);
  const auto inode = scan.number<uint64_t>();
  if (!references || !protocol || !flags || !type || *type > UINT8_MAX || !state || !inode ||
      *state > kDisconnecting) {
    return std::nullopt;
  }
  ParsedSocket socket;
  SocketRow& row = socket.row;
  row.kind = static_cast<uint8_t>(SocketKind::kUnix);
  row.family = static_cast<uint8_t>(SocketFamily::kUnix);
  row.type = static_cast<uint8_t>(*type);
  row.inode = *inode;
  row.present = bit(SocketField::kState);
  if ((*flags & kAccepts) != 0) {
    row.state = kSocketListen;
  } else {
    const bool connected = *state > kUnconnected && *state < kDisconnecting;
    row.state = connected ? kSocketEstablished : kSocketClose;
  }
  if (scan.skip(" ")) {
    socket.path = scan.rest();
  }
  return socket;
}

}  // namespace

NetUnix::NetUnix(std::string_view file) : rest_(file) {
  const std::string_view heading = line_at(rest_);
  if (!parse_record(heading)) {
    malformed_ = !heading.empty() && !heading.starts_with("Num ");
    rest_.remove_prefix(std::min(heading.size() + 1, rest_.size()));
  }
}

std::optional<ParsedSocket> NetUnix::next() {
  while (!rest_.empty()) {
    const std::string_view line = line_at(rest_);
    auto socket = parse_record(line);
    size_t size = line.size();
    if (!socket) {
      malformed_ = true;
      rest_.remove_prefix(std::min(size + 1, rest_.size()));
      continue;
    }
    // Continuations: lines that start no record, but not the end of the file's last line.
    while (!socket->path.empty() && size + 1 < rest_.size()) {
      const std::string_view more = line_at(rest_.substr(size + 1));
      if (parse_record(more)) {
        break;
      }
      size += 1 + more.size();
    }
    if (!socket->path.empty()) {
      const auto start = static_cast<size_t>(socket->path.data() - rest_.data());
      socket->path = rest_.substr(start, size - start);
    }
    rest_.remove_prefix(std::min(size + 1, rest_.size()));
    return socket;
  }
  return std::nullopt;
}

}  // namespace procscope
