#include "platform/linux/io.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>

#include <algorithm>

namespace procscope::linux_os {

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

Bytes Buffer::read_file(int directory, const char* name, size_t limit, Ending ending) {
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

Bytes Buffer::read_link(int directory, const char* name) {
  const ssize_t n = ::readlinkat(directory, name, bytes_.data(), bytes_.size());
  if (n < 0) {
    return {{}, errno, Call::kReadlink};
  }
  return {{bytes_.data(), static_cast<size_t>(n)}};
}

}  // namespace procscope::linux_os
