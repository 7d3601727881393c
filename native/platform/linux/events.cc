// Births and ends of processes without a look at each: the counter of pids in /proc/loadavg, and a
// pidfd for each process in one epoll. No call here waits for anybody.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/owned.h"
#include "base/scan.h"
#include "parse/links.h"
#include "parse/usage.h"
#include "platform/linux/connector.h"
#include "platform/linux/cpu_clock.h"
#include "platform/linux/facts.h"
#include "platform/linux/id_counter.h"
#include "platform/linux/kept.h"
#include "platform/linux/root.h"
#include "platform/process_events.h"

namespace procscope::linux_os {

namespace {

/// One processor gives out no pid in less time than this, in milliseconds: a clone of a thread that
/// ends at once takes longer.
constexpr double kLeastCloneTime = 0.01;
/// RESERVED_PIDS in kernel/pid.c: the pids below are given out once.
constexpr double kReservedPids = 300;
/// Milliseconds for which the bound of pids, a setting of the system, is taken to stand.
constexpr double kBoundAge = 1000;
/// PROC_PID_INIT_INO in include/linux/proc_ns.h: the pid namespace that sees every process.
constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;
constexpr size_t kEndsABatch = 64;

int pidfd_open(int32_t pid) {
#if defined(SYS_pidfd_open)
  constexpr long kCall = SYS_pidfd_open;
#else
  constexpr long kCall = 434;  // The same number on every architecture.
#endif
  return static_cast<int>(::syscall(kCall, pid, 0));
}

/// Lives no longer than the epoll that it is in.
class PidfdHold final : public ProcessHold {
 public:
  explicit PidfdHold(int epoll) : epoll_(epoll) {}
  ~PidfdHold() override {
    // Closing is not enough: what another thread has just forked has the descriptor too, and as
    // long as that lives the epoll would go on telling of a pid that is another's by now.
    if (fd_.valid()) {
      ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd_.get(), nullptr);
    }
  }
  PidfdHold(const PidfdHold&) = delete;
  PidfdHold& operator=(const PidfdHold&) = delete;

  /// Otherwise see errno.
  bool open(int32_t pid, Budget& budget) {
    // Before the budget is asked, since this also tells a process from a thread and from nobody.
    fd_.reset(pidfd_open(pid));
    if (!fd_.valid()) {
      return false;
    }
    if (!share_.take(budget)) {
      fd_.reset();
      errno = EMFILE;
      return false;
    }
    return true;
  }
  bool watch(int32_t pid) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<uint64_t>(pid);
    return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd_.get(), &event) == 0;
  }

 private:
  const int epoll_;
  Share share_;
  OwnedFd fd_;
};

/// Whether the pid namespace of this root is the one that sees every process.
bool sees_every_process(int root) {
  char link[64];
  const ssize_t n = ::readlinkat(root, "self/ns/pid", link, sizeof link);
  return n > 0 && parse_namespace_link({link, static_cast<size_t>(n)}, "pid") == kFirstPidNamespace;
}

double ids_a_millisecond() {
  const long processors = ::sysconf(_SC_NPROCESSORS_CONF);
  return static_cast<double>(processors > 0 ? processors : 1) / kLeastCloneTime;
}

class PidfdEvents final : public ProcessEvents {
 public:
  /// `root` is this machine's own /proc, and shows our own pids.
  PidfdEvents(OwnedFd root, Budget& budget)
      : root_(std::move(root)),
        budget_(budget),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        ids_(ids_a_millisecond(), sees_every_process(root_.get()),
             [this] { return pids_that_come_round(); }) {}

  /// False where the counter is not the kernel's own (a file of lxcfs lies over it), or stands
  /// still at 0 (gVisor).
  bool open() {
    FileFacts counter;
    FileFacts proc;
    if (!epoll_.valid() || file_facts(root_.get(), "loadavg", counter) != 0 ||
        file_facts(root_.get(), ".", proc) != 0 || counter.dev != proc.dev) {
      return false;
    }
    const OwnedFd own(pidfd_open(::getpid()));
    tells_ends_ = own.valid();
    const auto now = counter_now();
    return now && now->last_pid > 0;
  }

  /// The counter alone still spares most lists of the table, but no look at who may have ended.
  EventSource source() const override {
    return tells_ends_ ? EventSource::kPidfd : EventSource::kNone;
  }

  void take(ProcessNews& news, double elapsed) override {
    news.clear();
    // Before anything else is looked at: what starts from here on is in the next news.
    const auto now = counter_now();
    bound_age_ += elapsed;
    ids_.take(now, elapsed, news);
    take_ended(news.ended);
  }

  HoldOutcome hold(int32_t pid, std::unique_ptr<ProcessHold>& hold) override {
    if (!tells_ends_) {
      return HoldOutcome::kRefused;
    }
    auto held = std::make_unique<PidfdHold>(epoll_.get());
    if (!held->open(pid, budget_)) {
      switch (errno) {
        case ESRCH:
          return HoldOutcome::kGone;
        case EINVAL:
        case ENOENT:  // Since Linux 6.9.
          return HoldOutcome::kThread;
        default:
          return HoldOutcome::kRefused;
      }
    }
    if (!held->watch(pid)) {
      return HoldOutcome::kRefused;
    }
    hold = std::move(held);
    return HoldOutcome::kHeld;
  }

  void take_ended(std::vector<int32_t>& pids) override {
    // A process that has ended is told again until its hold is let go: more than a batch of them
    // means that the next call starts with the same.
    std::array<epoll_event, kEndsABatch> events{};
    size_t room = kEndsABatch;
    std::vector<epoll_event> many;
    epoll_event* into = events.data();
    for (;;) {
      const int count = ::epoll_wait(epoll_.get(), into, static_cast<int>(room), 0);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      const size_t told = count > 0 ? static_cast<size_t>(count) : 0;
      if (told == room) {
        room *= 8;
        many.resize(room);
        into = many.data();
        continue;
      }
      for (size_t i = 0; i < told; ++i) {
        pids.push_back(static_cast<int32_t>(into[i].data.u64));
      }
      return;
    }
  }

 private:
  std::optional<Loadavg> counter_now() {
    char bytes[128];
    const Bytes read = loadavg_.read(root_.get(), "loadavg", own_, bytes, sizeof bytes);
    return read.ok() ? parse_loadavg(read.data) : std::nullopt;
  }

  double pids_that_come_round() {
    if (bound_age_ >= kBoundAge) {
      char bytes[32];
      const Bytes read =
          pid_max_.read(root_.get(), "sys/kernel/pid_max", own_, bytes, sizeof bytes);
      const auto most = read.ok() ? Scan(read.data).number<int32_t>() : std::nullopt;
      pids_that_come_round_ = most ? *most - kReservedPids : 0;
      bound_age_ = 0;
    }
    return pids_that_come_round_;
  }

  OwnedFd root_;
  Budget& budget_;
  /// For the two files of the machine as a whole.
  Budget own_{2};
  OwnedFd epoll_;
  KeptFile loadavg_;
  KeptFile pid_max_;
  bool tells_ends_ = false;
  double pids_that_come_round_ = 0;
  double bound_age_ = kBoundAge;
  IdCounter ids_;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

namespace {

/// This machine's own /proc, if it shows the pids that system calls take.
OwnedFd own_proc(const std::string& path) {
  const linux_os::ProcRoot root(path);
  OwnedFd fd;
  if (root.live()) {
    fd = linux_os::open_directory(AT_FDCWD, root.path().c_str());
  }
  return fd.valid() && linux_os::shows_own_pids(fd.get()) ? std::move(fd) : OwnedFd();
}

}  // namespace

std::unique_ptr<ProcessEvents> make_process_events(const std::string& root, EventSource most,
                                                   Budget& budget) {
  OwnedFd proc = most == EventSource::kNone ? OwnedFd() : own_proc(root);
  if (!proc.valid()) {
    return make_no_process_events();
  }
  if (most == EventSource::kConnector) {
    auto connector = linux_os::open_connector();
    if (connector) {
      return std::move(connector.value());
    }
  }
  auto events = std::make_unique<linux_os::PidfdEvents>(std::move(proc), budget);
  if (events->open()) {
    return events;
  }
  return make_no_process_events();
}

Fault event_source_fault(EventSource source) {
  switch (source) {
    case EventSource::kConnector: {
      const auto connector = linux_os::open_connector();
      return connector ? Fault{} : connector.fault();
    }
    case EventSource::kPidfd: {
      const OwnedFd own(linux_os::pidfd_open(::getpid()));
      const int code = own.valid() ? 0 : errno;
      return own.valid() ? Fault{}
                         : Fault{linux_os::kind_of_errno(code), code, Call::kOpen, "pidfd"};
    }
    case EventSource::kNone:
      break;
  }
  return {};
}

int usual_descriptor_budget() {
  return linux_os::descriptor_budget(std::numeric_limits<int>::max());
}

}  // namespace procscope
