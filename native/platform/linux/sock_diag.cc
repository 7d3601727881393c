// Sockets from NETLINK_SOCK_DIAG. The kernel fills the first part of a dump inside send() and each
// further one inside recv(), so neither waits for another process; recv() has a timeout all the
// same.
#include "platform/linux/sock_diag.h"

#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <cerrno>

#include <string>
#include <vector>

#include "base/owned.h"
#include "parse/sock_diag.h"
#include "platform/linux/io.h"

namespace procscope::linux_os {

namespace {

/// The kernel never makes a part of a dump larger than half of this.
constexpr size_t kPartBytes = 1 << 16;
constexpr uint32_t kSequence = 1;
constexpr long kMicrosecondsAMillisecond = 1000;
constexpr int32_t kMillisecondsASecond = 1000;

DiagOutcome failed(int code) {
  // No handler for this family, or no such netlink at all (sandboxes, small kernels).
  const bool unsupported = code == ENOENT || code == EINVAL || code == EPROTONOSUPPORT ||
                           code == EAFNOSUPPORT || code == EOPNOTSUPP;
  const bool late = code == EAGAIN || code == EWOULDBLOCK;
  DiagOutcome outcome;
  outcome.code = code;
  outcome.kind =
      unsupported ? FaultKind::kUnsupported : (late ? FaultKind::kTimeout : kind_of_errno(code));
  return outcome;
}

OwnedFd open_diag(int32_t deadline_ms) {
  OwnedFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (fd.valid()) {
    timeval patience{};
    patience.tv_sec = deadline_ms / kMillisecondsASecond;
    patience.tv_usec = deadline_ms % kMillisecondsASecond * kMicrosecondsAMillisecond;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  return fd;
}

bool send_request(int fd, const std::string& request) {
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  ssize_t sent = 0;
  do {
    sent = ::sendto(fd, request.data(), request.size(), 0,
                    reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(request.size());
}

/// One part of the answer; its size, or -1 with errno. What comes from elsewhere than the kernel is
/// passed over.
ssize_t receive(int fd, std::vector<char>& part) {
  for (;;) {
    sockaddr_nl from{};
    socklen_t size = sizeof from;
    const ssize_t n = ::recvfrom(fd, part.data(), part.size(), MSG_TRUNC,
                                 reinterpret_cast<sockaddr*>(&from), &size);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0 || from.nl_pid == 0) {
      return n;
    }
  }
}

}  // namespace

DiagOutcome dump_sockets(const SocketList& list, uint32_t states, int32_t deadline_ms,
                         const std::function<bool(const ParsedSocket&)>& take) {
  const OwnedFd fd = open_diag(deadline_ms);
  if (!fd.valid() || !send_request(fd.get(), diag_request(list, states, kSequence))) {
    return failed(errno);
  }
  DiagOutcome outcome;
  std::vector<char> part(kPartBytes);
  for (;;) {
    const ssize_t n = receive(fd.get(), part);
    if (n < 0) {
      return failed(errno);
    }
    if (n == 0 || static_cast<size_t>(n) > part.size()) {
      return failed(EMSGSIZE);
    }
    DiagMessages messages({part.data(), static_cast<size_t>(n)});
    while (const auto message = messages.next()) {
      if (message->sequence != kSequence) {
        continue;
      }
      outcome.interrupted |= (message->flags & kDiagInterrupted) != 0;
      if (message->type == kDiagDone || message->type == kDiagError) {
        const int code = diag_error(message->payload);
        return code == 0 ? outcome : failed(code);
      }
      if (message->type != kDiagByFamily) {
        continue;
      }
      const auto socket = parse_diag(message->payload, list);
      outcome.malformed |= !socket;
      if (socket && !take(*socket)) {
        return outcome;
      }
    }
    outcome.malformed |= messages.malformed();
  }
}

}  // namespace procscope::linux_os
