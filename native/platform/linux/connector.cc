// Events of processes from NETLINK_CONNECTOR. No call here waits: the socket is non-blocking, and
// the kernel answers a subscription inside send().
#include "platform/linux/connector.h"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include <array>
#include <string_view>
#include <utility>

#include "base/owned.h"
#include "parse/proc_event.h"
#include "platform/linux/io.h"

namespace procscope::linux_os {

namespace {

constexpr const char* kPath = "process events connector";
/// Between two polls some thousand events fit; what does not is told as lost.
constexpr int kQueueBytes = 4 << 20;
constexpr size_t kBatch = 64;
/// One event takes 76 bytes; a kernel that adds fields may send more.
constexpr size_t kMessageBytes = 256;

bool send_operation(int fd, proc_cn_mcast_op operation) {
  // The structures follow each other without the padding that C++ would put between them.
  std::array<char, NLMSG_HDRLEN + sizeof(cn_msg) + sizeof operation> bytes{};
  nlmsghdr head{};
  head.nlmsg_len = bytes.size();
  head.nlmsg_type = NLMSG_DONE;
  cn_msg message{};
  message.id.idx = CN_IDX_PROC;
  message.id.val = CN_VAL_PROC;
  message.len = sizeof operation;
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + NLMSG_HDRLEN, &message, sizeof message);
  std::memcpy(bytes.data() + NLMSG_HDRLEN + sizeof message, &operation, sizeof operation);
  ssize_t sent = 0;
  do {
    sent = ::send(fd, bytes.data(), bytes.size(), 0);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

/// Receives many messages with one call.
class Inbox {
 public:
  Inbox() {
    for (size_t i = 0; i < kBatch; ++i) {
      parts_[i] = {bytes_[i].data(), bytes_[i].size()};
      msghdr& head = heads_[i].msg_hdr;
      head.msg_iov = &parts_[i];
      head.msg_iovlen = 1;
      head.msg_name = &senders_[i];
    }
  }

  /// Messages received; -1 = see errno.
  int receive(int fd) {
    for (size_t i = 0; i < kBatch; ++i) {
      heads_[i].msg_hdr.msg_namelen = sizeof senders_[i];
    }
    return ::recvmmsg(fd, heads_.data(), kBatch, MSG_DONTWAIT, nullptr);
  }

  /// Nothing for what did not come from the kernel.
  [[nodiscard]] std::optional<ProcEvent> event(int index) const {
    const auto i = static_cast<size_t>(index);
    return senders_[i].nl_pid == 0 ? parse_proc_event({bytes_[i].data(), heads_[i].msg_len})
                                   : std::nullopt;
  }

 private:
  std::array<std::array<char, kMessageBytes>, kBatch> bytes_{};
  std::array<iovec, kBatch> parts_{};
  std::array<sockaddr_nl, kBatch> senders_{};
  std::array<mmsghdr, kBatch> heads_{};
};

class Connector final : public ProcessEvents {
 public:
  explicit Connector(OwnedFd fd) : fd_(std::move(fd)) {}
  ~Connector() override { send_operation(fd_.get(), PROC_CN_MCAST_IGNORE); }
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  EventSource source() const override { return EventSource::kConnector; }

  void take(ProcessNews& news, double) override {
    news.clear();
    news.starts = ProcessNews::Starts::kNamed;
    news.others_may_have_ended = false;
    for (;;) {
      const int count = inbox_.receive(fd_.get());
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
        // ENOBUFS: events were lost. Whatever else it is, nothing was told.
        news.starts = ProcessNews::Starts::kUnknown;
        news.others_may_have_ended = true;
        if (errno != ENOBUFS) {
          return;
        }
        continue;
      }
      if (count <= 0) {
        return;
      }
      for (int i = 0; i < count; ++i) {
        if (const auto event = inbox_.event(i)) {
          tell(*event, news);
        }
      }
      if (static_cast<size_t>(count) < kBatch) {
        return;
      }
    }
  }

  HoldOutcome hold(int32_t, std::unique_ptr<ProcessHold>&) override { return HoldOutcome::kTold; }
  void take_ended(std::vector<int32_t>&) override {}

 private:
  static void tell(const ProcEvent& event, ProcessNews& news) {
    if (event.pid != event.tgid && event.kind != ProcEvent::Kind::kExec) {
      return;  // About one thread of many.
    }
    switch (event.kind) {
      case ProcEvent::Kind::kFork:
        news.started.push_back(event.tgid);
        break;
      case ProcEvent::Kind::kExec:
      case ProcEvent::Kind::kExit:
      case ProcEvent::Kind::kName:
      case ProcEvent::Kind::kIds:
        news.touched.push_back(event.tgid);
        break;
      default:
        break;
    }
  }

  OwnedFd fd_;
  Inbox inbox_;
};

/// The answer to the subscription, behind what other subscribers have already caused.
std::optional<int> answer(int fd, Inbox& inbox) {
  for (;;) {
    const int count = inbox.receive(fd);
    if (count <= 0) {
      return std::nullopt;
    }
    for (int i = 0; i < count; ++i) {
      const auto event = inbox.event(i);
      if (event && event->kind == ProcEvent::Kind::kAnswer) {
        return event->code;
      }
    }
  }
}

}  // namespace

Result<std::unique_ptr<ProcessEvents>> open_connector() {
  OwnedFd fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR));
  if (!fd.valid()) {
    const int code = errno;
    const bool none = code == EPROTONOSUPPORT || code == EAFNOSUPPORT;
    return Fault{none ? FaultKind::kUnsupported : kind_of_errno(code), code, Call::kOpen, kPath};
  }
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kQueueBytes, sizeof kQueueBytes);
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = CN_IDX_PROC;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      !send_operation(fd.get(), PROC_CN_MCAST_LISTEN)) {
    const int code = errno;
    return Fault{kind_of_errno(code), code, Call::kQuery, kPath};
  }
  const auto inbox = std::make_unique<Inbox>();
  const auto code = answer(fd.get(), *inbox);
  if (!code) {
    // Outside the first namespaces the kernel drops the subscription without a word.
    return Fault{FaultKind::kUnsupported, 0, Call::kQuery, kPath};
  }
  if (*code != 0) {
    return Fault{kind_of_errno(*code), *code, Call::kQuery, kPath};
  }
  return std::unique_ptr<ProcessEvents>(std::make_unique<Connector>(std::move(fd)));
}

}  // namespace procscope::linux_os
