#include "platform/linux/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/scan.h"
#include "parse/links.h"

namespace procscope::linux_os {

namespace {

constexpr size_t kListBytes = 1 << 15;
/// What a buffer may keep between two rows.
constexpr size_t kUsualBytes = 1 << 20;

/// One record of getdents64(2).
struct Entry {
  uint64_t ino;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

/// Calls `take(name, type)` for each entry.
template <typename Take>
int each_entry(int directory, const char* name, Take take) {
  const OwnedFd fd(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    return errno;
  }
  alignas(Entry) char bytes[kListBytes];
  for (;;) {
    const long n = ::syscall(SYS_getdents64, fd.get(), bytes, sizeof bytes);
    if (n <= 0) {
      return n == 0 ? 0 : errno;
    }
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const Entry*>(bytes + at);
      take(std::string_view(entry->name), entry->type);
      at += entry->length;
    }
  }
}

}  // namespace

FaultKind kind_of_errno(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
      return FaultKind::kDenied;
    case ENOENT:
    case ESRCH:
      return FaultKind::kGone;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return FaultKind::kLimit;
    case ENOSYS:
    case EOPNOTSUPP:
      return FaultKind::kUnsupported;
    default:
      return FaultKind::kIo;
  }
}

OwnedFd open_file(int directory, const char* name) {
  return OwnedFd(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

OwnedFd open_directory(int directory, const char* name) {
  return OwnedFd(::openat(directory, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int list_numbers(int directory, const char* name, std::vector<int32_t>& numbers) {
  return each_entry(directory, name, [&](std::string_view entry, uint8_t) {
    if (const auto number = whole_number<int32_t>(entry); number && *number >= 0) {
      numbers.push_back(*number);
    }
  });
}

int list_pids(int directory, const char* name, std::vector<int32_t>& pids) {
  return each_entry(directory, name, [&](std::string_view entry, uint8_t type) {
    if (type != DT_DIR && type != DT_UNKNOWN) {
      return;
    }
    if (const auto pid = parse_pid_name(entry)) {
      pids.push_back(*pid);
    }
  });
}

Bytes Buffer::read_file(int directory, const char* name, size_t limit, Ending ending,
                        Watch* watch) {
  const OwnedFd fd = open_file(directory, name);
  if (!fd.valid()) {
    return {{}, errno, Call::kOpen};
  }
  size_t have = 0;
  for (;;) {
    const size_t room = std::min(bytes_.size(), limit + 1) - have;
    const ssize_t n = ::read(fd.get(), bytes_.data() + have, room);
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return {{}, errno, Call::kRead};
    }
    have += static_cast<size_t>(n);
    if (watch != nullptr) {
      watch->still_here();
    }
    const bool is_short = static_cast<size_t>(n) < room;
    if (n == 0 || (is_short && ending == Ending::kShortRead)) {
      return {{bytes_.data(), have}};
    }
    if (have > limit) {
      return {{bytes_.data(), limit}, 0, Call::kRead, true};
    }
    if (!is_short) {
      bytes_.resize(std::min(bytes_.size() * 4, limit + 1));
    }
  }
}

void Buffer::shrink() {
  if (bytes_.size() > kUsualBytes) {
    bytes_ = std::vector<char>(kUsualBytes);
  }
}

Bytes Buffer::read_link(int directory, const char* name) {
  const ssize_t n = ::readlinkat(directory, name, bytes_.data(), bytes_.size());
  if (n < 0) {
    return {{}, errno, Call::kReadlink};
  }
  return {{bytes_.data(), static_cast<size_t>(n)}};
}

}  // namespace procscope::linux_os
