// The kinds of file locks, and how each is taken.
#ifndef LOCKING_H
#define LOCKING_H

#include <fcntl.h>
#include <sys/file.h>

#include "maker.h"

enum lock_way { by_flock, by_posix, by_ofd, by_lease };

struct lock_kind {
  const char* name;
  enum lock_way way;
  short type;
};

static const struct lock_kind lock_kinds[] = {
    {"flock-sh", by_flock, F_RDLCK},   {"flock-ex", by_flock, F_WRLCK},
    {"posix-read", by_posix, F_RDLCK}, {"posix-write", by_posix, F_WRLCK},
    {"ofd-read", by_ofd, F_RDLCK},     {"ofd-write", by_ofd, F_WRLCK},
    {"lease-read", by_lease, F_RDLCK}, {"lease-write", by_lease, F_WRLCK},
};

UNUSED_OK static struct lock_kind lock_kind(const char* name) {
  for (size_t i = 0; i < sizeof lock_kinds / sizeof *lock_kinds; i++)
    if (strcmp(lock_kinds[i].name, name) == 0) return lock_kinds[i];
  refuse("'%s' is no kind of lock", name);
}

// The file has to exist. The kernel gives a read lease only on a description that cannot write.
UNUSED_OK static int open_to_lock(struct lock_kind kind, const char* path) {
  const int access = kind.way == by_lease && kind.type == F_RDLCK ? O_RDONLY : O_RDWR;
  const int fd = open(path, access | O_CLOEXEC);
  if (fd < 0) fail("%s", path);
  return fd;
}

// Takes the lock, and waits for it if `wait`; a length of 0 reaches to the end of the file. Only
// byte-range kinds look at the range.
UNUSED_OK static int take_lock(int fd, struct lock_kind kind, off_t start, off_t length, int wait) {
  struct flock range = {.l_type = kind.type, .l_start = start, .l_len = length};
  switch (kind.way) {
    case by_flock:
      return flock(fd, (kind.type == F_RDLCK ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB));
    case by_posix:
      return fcntl(fd, wait ? F_SETLKW : F_SETLK, &range);
    case by_ofd:
      return fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
    case by_lease:
      // Whoever breaks the lease makes the kernel send SIGIO, which would end the holder.
      signal(SIGIO, SIG_IGN);
      return fcntl(fd, F_SETLEASE, kind.type);
  }
  return -1;
}

#endif
