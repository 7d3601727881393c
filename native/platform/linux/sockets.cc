// The sockets of a network namespace, and who holds them.
//
// Calls that can block, and what guards them:
// - readlink below /proc/<pid>/fd waits for the target's exec lock, on kernels since 2026: the job
//   gives the process up, and asks nothing of it while a thread is parked there. It does not reach
//   the file system of the descriptor.
// - open and read of /proc/<pid>/net/*, open and getdents of /proc/<pid>/fd wait for nobody on the
//   live /proc. Below another root each is a Waiting mark of the reader thread.
// - send and recv on NETLINK_SOCK_DIAG: see sock_diag.cc.
#include "platform/sockets.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/scan.h"
#include "parse/links.h"
#include "parse/net_misc.h"
#include "platform/linux/io.h"
#include "platform/linux/proc_net.h"
#include "platform/linux/sock_diag.h"
#include "platform/linux/tasks.h"

namespace procscope::linux_os {

namespace {

constexpr const char* kLiveRoot = "/proc";
/// PROC_PID_INIT_INO in include/linux/proc_ns.h: the pid namespace that sees every process.
constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;
constexpr int kMostTries = 4;
constexpr size_t kListBytes = 1 << 14;
/// Longer than any `socket:[inode]`; what is cut at this length is none.
constexpr size_t kLinkBytes = 40;
constexpr size_t kProtocolsBytes = 1 << 20;

/// One record of getdents64(2).
struct Entry {
  uint64_t ino;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

class LinuxSocketReader final : public SocketReader {
 public:
  explicit LinuxSocketReader(SocketQuery query) : query_(std::move(query)) {
    while (query_.root.size() > 1 && query_.root.back() == '/') {
      query_.root.pop_back();
    }
    live_ = query_.root == kLiveRoot;
  }

  bool may_wait() const override { return !live_; }

  Result<std::monostate> prepare(Watch& watch) override {
    const auto waiting = mark(watch);
    root_ = open_directory(AT_FDCWD, query_.root.c_str());
    if (!root_.valid()) {
      return Fault{kind_of_errno(errno), errno, Call::kOpen, query_.root};
    }
    net_ = open_directory(root_.get(), net_name().c_str());
    if (!net_.valid() && needs_net()) {
      return Fault{kind_of_errno(errno), errno, Call::kOpen, query_.root + "/" + net_name()};
    }
    return std::monostate{};
  }

  std::vector<SocketList> lists() const override {
    std::vector<SocketList> lists;
    for (const SocketKind kind : {SocketKind::kTcp, SocketKind::kUdp, SocketKind::kUdplite,
                                  SocketKind::kIcmp, SocketKind::kRaw}) {
      if (query_.wants(kind)) {
        lists.push_back({kind, SocketFamily::kInet});
        lists.push_back({kind, SocketFamily::kInet6});
      }
    }
    for (const SocketList list : {SocketList{SocketKind::kUnix, SocketFamily::kUnix},
                                  SocketList{SocketKind::kNetlink, SocketFamily::kNetlink},
                                  SocketList{SocketKind::kPacket, SocketFamily::kPacket},
                                  SocketList{SocketKind::kVsock, SocketFamily::kVsock}}) {
      if (query_.wants(list.kind)) {
        lists.push_back(list);
      }
    }
    return lists;
  }

  SocketBatch read(const SocketList& list, size_t most_rows, Watch& watch) const override {
    SocketBatch batch;
    std::optional<Fault> refused;
    if (may_ask_netlink()) {
      refused = read_netlink(list, most_rows, batch, watch);
      if (!refused) {
        return batch;
      }
    }
    if (query_.way != SocketWay::kNetlink) {
      const auto waiting = mark(watch);
      refused = read_proc(list, most_rows, batch, watch);
      if (!refused) {
        return batch;
      }
    }
    if (is_absent(list, watch)) {
      batch.source = SocketSource::kAbsent;
    } else {
      batch.faults.push_back(std::move(*refused));
    }
    return batch;
  }

  std::string path_of(const SocketList& list) const override {
    const char* const file = file_of(list);
    return file == nullptr ? "sock_diag " + std::string(protocol_name(list))
                           : query_.root + "/" + net_name() + "/" + file;
  }

  Result<std::monostate> list_pids(std::vector<int32_t>& pids, Watch& watch) const override {
    const auto waiting = mark(watch);
    // Reopened: root_ is for lookups only.
    if (const int code = linux_os::list_pids(AT_FDCWD, query_.root.c_str(), pids); code != 0) {
      return Fault{kind_of_errno(code), code, Call::kGetdents, query_.root};
    }
    return std::monostate{};
  }

  Fault descriptors(int32_t pid, std::vector<SocketDescriptor>& into, Watch& watch) const override {
    const auto waiting = mark(watch);
    std::array<char, 48> name{};
    std::snprintf(name.data(), name.size(), "%d/fd", pid);
    size_t seen = 0;
    Fault fault = scan_descriptors(name.data(), into, seen, watch);
    const bool refused = fault.kind == FaultKind::kDenied;
    if ((fault.kind != FaultKind::kNone && !refused) || seen > 0) {
      return fault;
    }
    // Either there is nothing open, or the main thread has ended and the others hold it all.
    std::snprintf(name.data(), name.size(), "%d", pid);
    const OwnedFd process = open_directory(root_.get(), name.data());
    if (!process.valid() || !main_thread_ended(process.get())) {
      return fault;
    }
    std::snprintf(name.data(), name.size(), "%d/task", pid);
    std::vector<int32_t> threads;
    if (linux_os::list_pids(root_.get(), name.data(), threads) != 0) {
      return fault;
    }
    for (const int32_t thread : threads) {
      if (thread != pid && seen == 0) {
        std::snprintf(name.data(), name.size(), "%d/task/%d/fd", pid, thread);
        const Fault of_thread = scan_descriptors(name.data(), into, seen, watch);
        fault = of_thread.kind == FaultKind::kGone ? fault : of_thread;
      }
    }
    return fault;
  }

  bool shows_everybody(const std::vector<int32_t>& pids) const override {
    // With hidepid= the first process is hidden before any other.
    if (!live_ || std::find(pids.begin(), pids.end(), 1) == pids.end()) {
      return false;
    }
    Buffer buffer(kLinkBytes);
    const Bytes link = buffer.read_link(root_.get(), "self/ns/pid");
    return link.ok() && parse_namespace_link(link.data, "pid") == kFirstPidNamespace;
  }

 private:
  [[nodiscard]] std::optional<Waiting> mark(Watch& watch) const {
    return live_ ? std::optional<Waiting>{}
                 : std::optional<Waiting>{std::in_place, watch, BlockClass::kFileSystem};
  }

  [[nodiscard]] bool may_ask_netlink() const {
    // Netlink answers for the namespace of the thread that asks, and for no recorded root.
    return query_.way != SocketWay::kProc && live_ && query_.netns_of == 0;
  }
  [[nodiscard]] bool needs_net() const { return !may_ask_netlink(); }

  [[nodiscard]] std::string net_name() const {
    if (query_.netns_of != 0) {
      return std::to_string(query_.netns_of) + "/net";
    }
    // Of the thread, as netlink has it; /proc/net is that of the main thread.
    return live_ ? "thread-self/net" : "net";
  }

  /// Adds the sockets that the query takes; `full` when there were more than fit.
  [[nodiscard]] auto taker(SocketBatch& batch, size_t most_rows, bool& full, Watch& watch) const {
    return [this, &batch, most_rows, &full, &watch](const ParsedSocket& socket) {
      watch.still_here();
      if (query_.takes(socket.row) && !batch.add(socket, most_rows)) {
        full = true;
      }
      return !full;
    };
  }

  /// The kernel lists a netlink socket that has joined groups twice: among all, and once more among
  /// those with groups (__netlink_diag_dump in net/netlink/diag.c).
  static std::function<bool(const ParsedSocket&)> once_each(
      const SocketList& list, std::function<bool(const ParsedSocket&)> take) {
    if (list.kind != SocketKind::kNetlink) {
      return take;
    }
    return [take = std::move(take),
            seen = std::make_shared<std::unordered_set<uint64_t>>()](const ParsedSocket& socket) {
      const uint64_t inode = socket.row.inode;
      return (inode != 0 && !seen->insert(inode).second) || take(socket);
    };
  }

  std::optional<Fault> read_netlink(const SocketList& list, size_t most_rows, SocketBatch& batch,
                                    Watch& watch) const {
    const std::string path = std::string("sock_diag ") + protocol_name(list);
    DiagOutcome outcome;
    bool full = false;
    for (int tries = 0; tries < kMostTries; ++tries) {
      batch = SocketBatch{};
      full = false;
      outcome = dump_sockets(list, query_.states_of(list), query_.deadline_ms,
                             once_each(list, taker(batch, most_rows, full, watch)));
      if (outcome.code != 0) {
        batch = SocketBatch{};
        return Fault{outcome.kind, outcome.code, Call::kQuery, path};
      }
      if (!outcome.interrupted) {
        break;
      }
    }
    batch.source = SocketSource::kNetlink;
    if (outcome.interrupted) {
      batch.faults.push_back({FaultKind::kIo, EINTR, Call::kQuery, path});
    }
    if (outcome.malformed) {
      batch.faults.push_back({FaultKind::kMalformed, 0, Call::kParse, path});
    }
    if (full) {
      batch.faults.push_back({FaultKind::kLimit, 0, Call::kQuery, path});
    }
    return std::nullopt;
  }

  std::optional<Fault> read_proc(const SocketList& list, size_t most_rows, SocketBatch& batch,
                                 Watch& watch) const {
    const std::string path = path_of(list);
    bool full = false;
    const ProcNetOutcome outcome =
        read_sockets(net_.get(), list, taker(batch, most_rows, full, watch), watch);
    if (outcome.code != 0) {
      const bool missing = outcome.code == ENOENT && query_.netns_of == 0;
      return Fault{missing ? FaultKind::kUnsupported : kind_of_errno(outcome.code), outcome.code,
                   outcome.call, path};
    }
    batch.source = SocketSource::kProc;
    if (outcome.truncated) {
      batch.faults.push_back({FaultKind::kTruncated, 0, Call::kRead, path});
    }
    if (outcome.malformed) {
      batch.faults.push_back({FaultKind::kMalformed, 0, Call::kParse, path});
    }
    if (full) {
      batch.faults.push_back({FaultKind::kLimit, 0, Call::kRead, path});
    }
    return std::nullopt;
  }

  /// Whether the kernel says that it knows no such sockets.
  bool is_absent(const SocketList& list, Watch& watch) const {
    const auto waiting = mark(watch);
    Buffer buffer;
    const Bytes bytes =
        buffer.read_file(net_.get(), "protocols", kProtocolsBytes, Ending::kEmptyRead);
    return bytes.ok() && has_protocol(bytes.data, "protocol") &&
           !has_protocol(bytes.data, protocol_name(list));
  }

  Fault scan_descriptors(const char* name, std::vector<SocketDescriptor>& into, size_t& seen,
                         Watch& watch) const {
    const OwnedFd fd(::openat(root_.get(), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd.valid()) {
      return {kind_of_errno(errno), errno, Call::kOpen, {}};
    }
    alignas(Entry) std::array<char, kListBytes> bytes;  // NOLINT(*-member-init): filled by the call
    for (;;) {
      const long n = ::syscall(SYS_getdents64, fd.get(), bytes.data(), bytes.size());
      if (n <= 0) {
        return n == 0 ? Fault{} : Fault{kind_of_errno(errno), errno, Call::kGetdents, {}};
      }
      for (size_t at = 0; at < static_cast<size_t>(n);) {
        const auto* entry = reinterpret_cast<const Entry*>(bytes.data() + at);
        at += entry->length;
        const auto number = whole_number<int32_t>(entry->name);
        if (!number) {
          continue;
        }
        ++seen;
        watch.still_here();
        std::array<char, kLinkBytes> link{};
        const ssize_t size = ::readlinkat(fd.get(), entry->name, link.data(), link.size());
        if (size < 0) {
          if (kind_of_errno(errno) == FaultKind::kDenied) {
            return {FaultKind::kDenied, errno, Call::kReadlink, {}};
          }
          continue;  // Closed meanwhile.
        }
        if (const auto inode =
                parse_namespace_link({link.data(), static_cast<size_t>(size)}, "socket")) {
          into.push_back({*inode, *number});
        }
      }
    }
  }

  SocketQuery query_;
  bool live_ = false;
  OwnedFd root_;
  OwnedFd net_;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

std::unique_ptr<SocketReader> make_socket_reader(SocketQuery query) {
  return std::make_unique<linux_os::LinuxSocketReader>(std::move(query));
}

}  // namespace procscope
