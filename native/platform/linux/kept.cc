#include "platform/linux/kept.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace procscope::linux_os {

namespace {

Bytes read_from(int fd, char* into, size_t room) {
  ssize_t n = 0;
  do {
    n = ::pread(fd, into, room, 0);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    return {{}, errno, Call::kRead};
  }
  return {{into, static_cast<size_t>(n)}};
}

}  // namespace

int descriptor_budget(int most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 0;
  }
  return static_cast<int>(std::min(limit.rlim_cur / 4, static_cast<rlim_t>(most)));
}

Bytes KeptFile::read(int directory, const char* name, Budget& budget, char* into, size_t room) {
  if (fd_.valid()) {
    return read_from(fd_.get(), into, room);
  }
  OwnedFd fd = open_file(directory, name);
  if (!fd.valid()) {
    return {{}, errno, Call::kOpen};
  }
  const Bytes bytes = read_from(fd.get(), into, room);
  if (bytes.ok() && share_.take(budget)) {
    fd_ = std::move(fd);
  }
  return bytes;
}

}  // namespace procscope::linux_os
