// The system call itself: C libraries older than glibc 2.28 have no statx(), and <linux/stat.h>
// does not stand beside <sys/stat.h>.
#include "platform/linux/facts.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

namespace procscope::linux_os {

int file_facts(int directory, const char* name, FileFacts& facts) {
  constexpr unsigned kWanted = STATX_TYPE | STATX_MODE | STATX_INO | STATX_NLINK | STATX_SIZE;
  struct statx s {};
  if (::syscall(SYS_statx, directory, name, AT_STATX_DONT_SYNC, kWanted, &s) != 0) {
    return errno;
  }
  facts.dev = makedev(s.stx_dev_major, s.stx_dev_minor);
  facts.ino = s.stx_ino;
  facts.rdev = makedev(s.stx_rdev_major, s.stx_rdev_minor);
  facts.size = s.stx_size;
  facts.nlink = s.stx_nlink;
  facts.mode = s.stx_mode;
  return 0;
}

}  // namespace procscope::linux_os
