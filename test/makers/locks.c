// locks KIND PATH [START LENGTH]: a process that holds one lock on the file PATH, which has to
// exist. KIND is flock-ex, flock-sh, posix-read, posix-write, posix-range (posix-write with a range
// that has to be given), ofd-read, ofd-write, lease-read or lease-write; a LENGTH of 0 reaches to
// the end of the file. A lease needs a file that nobody else has open for writing (lease-read) or
// at all (lease-write).
// ready PID FD
#include <limits.h>

#include "locking.h"

int main(int argc, char** argv) {
  die_with_test();
  if (argc != 3 && argc != 5) refuse("usage: locks KIND PATH [START LENGTH]");
  const int ranged = strcmp(argv[1], "posix-range") == 0;
  const struct lock_kind kind = lock_kind(ranged ? "posix-write" : argv[1]);
  const int has_ranges = kind.way == by_posix || kind.way == by_ofd;
  if (argc == 5 ? !has_ranges : ranged) refuse("a range belongs to posix and ofd locks");
  const off_t start = argc == 5 ? number(argv[3], 0, LONG_MAX) : 0;
  const off_t length = argc == 5 ? number(argv[4], 0, LONG_MAX) : 0;
  const int fd = open_to_lock(kind, argv[2]);
  if (take_lock(fd, kind, start, length, 0) != 0) fail("%s on %s", argv[1], argv[2]);
  ready("%d %d", getpid(), fd);
  wait_for_end();
  return 0;
}
