// Foreign files of a POSIX system. Every call here can wait for a file system that no longer
// answers, so each request is one Waiting mark; the caller runs it on a reader thread.
#include "platform/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include <algorithm>
#include <memory>

#include "base/owned.h"
#include "parse/maps.h"
#include "parse/mountinfo.h"
#include "platform/linux/io.h"

namespace procscope {

namespace {

using linux_os::kind_of_errno;

constexpr size_t kFirstRead = 1 << 14;
constexpr size_t kMountsLimit = 1 << 22;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct FreeText {
  void operator()(char* text) const { ::free(text); }
};

void fail(FileAnswer& answer, const FileRequest& request, Call call, int code) {
  answer.fault = {kind_of_errno(code), code, call, request.path};
}

FileStat stat_of(const struct stat& s) {
  FileStat out;
  out.dev = s.st_dev;
  out.ino = s.st_ino;
  out.size = static_cast<uint64_t>(s.st_size);
  out.mtime =
      static_cast<double>(s.st_mtim.tv_sec) * 1e3 + static_cast<double>(s.st_mtim.tv_nsec) / 1e6;
  out.uid = s.st_uid;
  out.mode = s.st_mode;
  out.nlink = s.st_nlink;
  return out;
}

void put_stat(FileAnswer& answer, const struct stat& s) {
  answer.has_stat = true;
  answer.stat = stat_of(s);
}

/// Kernels before 5.6 and some sandboxes have no openat2(2): there, only a link at the end of the
/// path can be refused.
OwnedFd open_without_links(const FileRequest& request, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_NO_SYMLINKS;
  OwnedFd fd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, request.path.c_str(), &how, sizeof how)));
  if (!fd.valid() && (errno == ENOSYS || errno == EPERM)) {
    return OwnedFd(::open(request.path.c_str(), flags | O_NOFOLLOW));
  }
  return fd;
}

/// Opens the path of a request, or nothing, with errno. Below a root, the kernel itself keeps every
/// link inside (RESOLVE_IN_ROOT of openat2(2), Linux 5.6).
OwnedFd open_path(const FileRequest& request, int flags) {
  flags |= O_CLOEXEC | (request.follow ? 0 : O_NOFOLLOW);
  if (request.root.empty()) {
    return request.no_links ? open_without_links(request, flags)
                            : OwnedFd(::open(request.path.c_str(), flags));
  }
  const OwnedFd root(::open(request.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) {
    return {};
  }
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return OwnedFd(
      static_cast<int>(::syscall(SYS_openat2, root.get(), request.path.c_str(), &how, sizeof how)));
}

void look_stat_below(const FileRequest& request, FileAnswer& answer) {
  const OwnedFd fd = open_path(request, O_PATH);
  struct stat s {};
  if (!fd.valid() || ::fstat(fd.get(), &s) != 0) {
    fail(answer, request, Call::kStat, errno);
    return;
  }
  put_stat(answer, s);
}

void look_stat(const FileRequest& request, FileAnswer& answer) {
  if (!request.root.empty()) {
    look_stat_below(request, answer);
    return;
  }
  struct stat s {};
  const int flags = request.follow ? 0 : AT_SYMLINK_NOFOLLOW;
  if (::fstatat(AT_FDCWD, request.path.c_str(), &s, flags) != 0) {
    fail(answer, request, Call::kStat, errno);
    return;
  }
  put_stat(answer, s);
}

/// The path as our own root has it: that of the file to which the links below the other root lead.
void look_realpath_below(const FileRequest& request, FileAnswer& answer) {
  const OwnedFd fd = open_path(request, O_PATH);
  if (!fd.valid()) {
    fail(answer, request, Call::kRealpath, errno);
    return;
  }
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
  const ssize_t n = ::readlink(link.c_str(), path, sizeof path);
  struct stat s {};
  if (n < 0 || ::fstat(fd.get(), &s) != 0) {
    fail(answer, request, Call::kRealpath, errno);
    return;
  }
  answer.realpath.assign(path, static_cast<size_t>(n));
  put_stat(answer, s);
}

void look_realpath(const FileRequest& request, FileAnswer& answer) {
  if (!request.root.empty()) {
    look_realpath_below(request, answer);
    return;
  }
  const std::unique_ptr<char, FreeText> real(::realpath(request.path.c_str(), nullptr));
  if (!real) {
    fail(answer, request, Call::kRealpath, errno);
    return;
  }
  answer.realpath = real.get();
  look_stat(request, answer);
}

/// Opening a device may move it and opening a pipe wakes its writer: whatever is no regular file is
/// known before it is opened. What cannot be looked at is for the open to say.
bool is_something_else(const FileRequest& request, FileAnswer& answer) {
  FileAnswer seen;
  look_stat(request, seen);
  // A link that is not to be followed has an error of its own.
  if (!seen.has_stat || S_ISREG(seen.stat.mode) || S_ISLNK(seen.stat.mode)) {
    return false;
  }
  answer.has_stat = true;
  answer.stat = seen.stat;
  answer.fault = {FaultKind::kUnsupported, 0, Call::kRead, request.path};
  return true;
}

void look_read(const FileRequest& request, FileAnswer& answer) {
  if (is_something_else(request, answer)) {
    return;
  }
  const OwnedFd fd = open_path(request, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd.valid()) {
    fail(answer, request, Call::kOpen, errno);
    return;
  }
  struct stat s {};
  if (::fstat(fd.get(), &s) != 0) {
    fail(answer, request, Call::kStat, errno);
    return;
  }
  put_stat(answer, s);
  if (!S_ISREG(s.st_mode)) {
    answer.fault = {FaultKind::kUnsupported, 0, Call::kRead, request.path};
    return;
  }
  std::string& bytes = answer.bytes;
  const size_t limit = request.limit;
  const auto size = static_cast<uint64_t>(s.st_size);
  answer.offset = !request.from_end ? request.offset : size > limit ? size - limit : 0;
  while (bytes.size() <= limit) {
    const size_t have = bytes.size();
    bytes.resize(std::min(std::max(have * 2, kFirstRead), limit + 1));
    const ssize_t n = ::pread(fd.get(), bytes.data() + have, bytes.size() - have,
                              static_cast<off_t>(answer.offset + have));
    bytes.resize(have + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      bytes.clear();
      fail(answer, request, Call::kRead, errno);
      return;
    }
    if (n == 0) {
      answer.truncated = request.from_end && answer.offset > 0;
      return;
    }
  }
  bytes.resize(limit);
  answer.truncated = true;
}

FileEntry entry_of(int directory, const char* name, const FileRequest& request) {
  FileEntry entry{name, false, {}};
  struct stat s {};
  // Of a link its own status: nothing outside of the directory is touched, so nothing hangs that
  // the directory itself does not hang on.
  if (request.entry_stats && ::fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) == 0) {
    entry.has_stat = true;
    entry.stat = stat_of(s);
  }
  return entry;
}

void look_list(const FileRequest& request, FileAnswer& answer) {
  OwnedFd fd = open_path(request, O_RDONLY | O_DIRECTORY);
  struct stat s {};
  if (!fd.valid() || ::fstat(fd.get(), &s) != 0) {
    fail(answer, request, Call::kOpen, errno);
    return;
  }
  // Taken before the names: what is added meanwhile makes the next status differ from this one.
  put_stat(answer, s);
  answer.entry_stats = request.entry_stats;
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(fd.get()));
  if (!directory) {
    fail(answer, request, Call::kGetdents, errno);
    return;
  }
  fd.release();  // closedir() closes it from here on.
  for (;;) {
    errno = 0;
    const dirent* entry =
        ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): our own stream
    if (entry == nullptr) {
      if (errno != 0) {
        fail(answer, request, Call::kGetdents, errno);
      }
      return;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    if (answer.entries.size() == request.limit) {
      answer.truncated = true;
      return;
    }
    answer.entries.push_back(entry_of(::dirfd(directory.get()), entry->d_name, request));
  }
}

}  // namespace

std::string remote_mount_of(const std::string& path) {
  linux_os::Buffer buffer;
  const linux_os::Bytes bytes = buffer.read_file(AT_FDCWD, "/proc/self/mountinfo", kMountsLimit,
                                                 linux_os::Ending::kEmptyRead);
  std::string found;
  bool remote = false;
  std::string_view rest = bytes.data;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const auto mount = parse_mount(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!mount) {
      continue;
    }
    const std::string point = unescape_octal(mount->mount_point);
    const bool holds = path == point || point == "/" || path.starts_with(point + "/");
    // The last of several mounts on one point is the one that is seen.
    if (holds && point.size() >= found.size()) {
      found = point;
      remote = is_remote(mount->type);
    }
  }
  return remote ? found : std::string();
}

FileAnswer look_at(const FileRequest& request, Watch& watch) {
  FileAnswer answer;
  const Waiting waiting(watch, BlockClass::kFileSystem);
  switch (request.op) {
    case FileOp::kStat:
      look_stat(request, answer);
      break;
    case FileOp::kRealpath:
      look_realpath(request, answer);
      break;
    case FileOp::kRead:
      look_read(request, answer);
      break;
    case FileOp::kList:
      look_list(request, answer);
      break;
  }
  return answer;
}

}  // namespace procscope
