#include "platform/linux/root.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "platform/linux/io.h"

namespace procscope::linux_os {

namespace {

constexpr const char* kLiveRoot = "/proc";

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

}  // namespace

ProcRoot::ProcRoot(std::string path)
    : path_(without_trailing_slashes(std::move(path))), live_(path_ == kLiveRoot) {}

Waiting ProcRoot::guard(Watch& watch) const {
  return Waiting(watch, live_ ? BlockClass::kNone : BlockClass::kFileSystem);
}

Result<std::monostate> ProcRoot::open(Watch& watch) {
  const auto waiting = guard(watch);
  fd_ = open_directory(AT_FDCWD, path_.c_str());
  if (!fd_.valid()) {
    return Fault{kind_of_errno(errno), errno, Call::kOpen, path_};
  }
  struct statfs mount {};
  recorded_ = !live_ && ::fstatfs(fd_.get(), &mount) == 0 && mount.f_type != PROC_SUPER_MAGIC;
  return std::monostate{};
}

Result<std::monostate> ProcRoot::list(std::vector<int32_t>& pids, Watch& watch) const {
  const auto waiting = guard(watch);
  const size_t before = pids.size();
  if (const int code = list_pids(fd_.get(), ".", pids); code != 0) {
    return Fault{kind_of_errno(code), code, Call::kGetdents, path_};
  }
  if (pids.size() == before) {
    return Fault{FaultKind::kMalformed, 0, Call::kGetdents, path_};
  }
  std::sort(pids.begin() + static_cast<std::ptrdiff_t>(before), pids.end());
  return std::monostate{};
}

}  // namespace procscope::linux_os
