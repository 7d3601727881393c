#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/socket.h"

/// The bytes of NETLINK_SOCK_DIAG: sock_diag(7) and
/// include/uapi/linux/{netlink,sock_diag,inet_diag,
/// unix_diag,netlink_diag,packet_diag,vm_sockets_diag}.h. Lengths in messages are never trusted.
namespace procscope {

/// One netlink message; the payload is what follows its header.
struct DiagMessage {
  uint16_t type = 0;
  uint16_t flags = 0;
  uint32_t sequence = 0;
  std::string_view payload;
};

inline constexpr uint16_t kDiagError = 2;
inline constexpr uint16_t kDiagDone = 3;
inline constexpr uint16_t kDiagByFamily = 20;
/// NLM_F_DUMP_INTR: the list changed so much while it was dumped that it may be wrong.
inline constexpr uint16_t kDiagInterrupted = 0x10;

/// Walks the messages of one datagram.
class DiagMessages {
 public:
  explicit DiagMessages(std::string_view datagram) : rest_(datagram) {}

  /// The next message; nothing at the end or where a length leads out of the datagram.
  std::optional<DiagMessage> next();

  /// Bytes were left that are no whole message.
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  std::string_view rest_;
  bool malformed_ = false;
};

/// The error number in a message of type kDiagError or kDiagDone; 0 = none.
int32_t diag_error(std::string_view payload);

/// One dump request for all sockets of a list whose state's bit is in `states`.
std::string diag_request(const SocketList& list, uint32_t states, uint32_t sequence);

/// One message of type kDiagByFamily that answers such a request. Nothing if it is cut short, or of
/// another family.
std::optional<ParsedSocket> parse_diag(std::string_view payload, const SocketList& list);

}  // namespace procscope
