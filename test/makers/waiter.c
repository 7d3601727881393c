// waiter KIND PATH: this process holds a lock of one of the kinds of `locks` on the whole file
// PATH, which has to exist, and a child that opened PATH for itself is blocked: it asks for the
// exclusive lock of the same kind or, for a lease, wants to open the file for writing. A broken
// lease stands for /proc/sys/fs/lease-break-time seconds, then the child gets on.
// ready PID-OF-HOLDER FD-OF-HOLDER PID-OF-WAITER
#include <sys/stat.h>
#include <time.h>

#include "locking.h"

enum { most_turns = 10000 };

static void ask_for_it(struct lock_kind kind, const char* path) {
  const int fd = kind.way == by_lease ? open(path, O_WRONLY) : open_to_lock(kind, path);
  kind.type = F_WRLCK;
  if (kind.way != by_lease && take_lock(fd, kind, 0, 0, 1) != 0) fail("waiting on %s", path);
  for (;;) pause();
}

// Whether /proc/locks has a `->` line of this process; such a line of an OFD lock has pid -1, and
// only the inode tells whose it is. The line of a breaker of a lease names no file: `<none>:0`.
static int is_waiting(pid_t pid, ino_t inode) {
  FILE* const locks = fopen("/proc/locks", "re");
  if (!locks) fail("/proc/locks");
  char line[512];
  int found = 0;
  while (!found && fgets(line, sizeof line, locks)) {
    long owner = 0;
    unsigned long number = 0;
    if (sscanf(line, "%*d: -> %*s %*s %*s %ld %*x:%*x:%lu", &owner, &number) < 1) continue;
    found = owner == pid || (owner == -1 && number == inode);
  }
  fclose(locks);
  return found;
}

int main(int argc, char** argv) {
  die_with_test();
  if (argc != 3) refuse("usage: waiter KIND PATH");
  const struct lock_kind kind = lock_kind(argv[1]);
  const int fd = open_to_lock(kind, argv[2]);
  struct stat facts;
  if (fstat(fd, &facts) != 0) fail("%s", argv[2]);
  if (take_lock(fd, kind, 0, 0, 0) != 0) fail("%s on %s", argv[1], argv[2]);
  const pid_t pid = fork_child();
  if (pid == 0) {
    close(fd);  // else it would share a lock of the open file description
    ask_for_it(kind, argv[2]);
  }
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int turns = 0; !is_waiting(pid, facts.st_ino); turns++) {
    if (turns == most_turns || waitpid(pid, NULL, WNOHANG) != 0) refuse("nobody came to wait");
    nanosleep(&moment, NULL);
  }
  ready("%d %d %d", getpid(), fd, pid);
  wait_for_end();
  end_child(pid);
  return 0;
}
