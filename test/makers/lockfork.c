// lockfork PATH [ofd] [dead-taker] [N=1]: an exclusive flock, or an OFD write lock on the whole
// file, on an open file description that N children share with the process that took the lock.
//   dead-taker  the process that took the lock has ended and only the N children hold it
// PATH has to exist.
// ready PID-OF-TAKER FD HOLDER ..., where the holders are all that live: without dead-taker the
// taker (this process) comes first, with dead-taker this process is none of them
#include "locking.h"

enum { most_children = 1000 };

static pid_t children[most_children];

// The lock belongs to the description, whoever takes it and whenever it was inherited: a helper
// that takes it and ends leaves the same state as a taker that forked and died.
static pid_t take_and_end(int fd, struct lock_kind kind) {
  const pid_t taker = fork_child();
  if (taker == 0) _exit(take_lock(fd, kind, 0, 0, 0) == 0 ? 0 : 1);
  int status = 0;
  if (waitpid(taker, &status, 0) != taker || status != 0) refuse("the taker got no lock");
  close(fd);
  return taker;
}

int main(int argc, char** argv) {
  die_with_test();
  if (argc < 2) refuse("usage: lockfork PATH [ofd] [dead-taker] [N]");
  const char* name = "flock-ex";
  int dead = 0;
  long count = 1;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "ofd") == 0) {
      name = "ofd-write";
    } else if (strcmp(argv[i], "dead-taker") == 0) {
      dead = 1;
    } else {
      count = number(argv[i], 1, most_children);
    }
  }
  const struct lock_kind kind = lock_kind(name);
  const int fd = open_to_lock(kind, argv[1]);
  for (long i = 0; i < count; i++) {
    children[i] = fork_child();
    while (children[i] == 0) pause();
  }
  if (!dead && take_lock(fd, kind, 0, 0, 0) != 0) fail("%s on %s", name, argv[1]);
  const pid_t taker = dead ? take_and_end(fd, kind) : getpid();

  printf("ready %d %d", taker, fd);
  if (!dead) printf(" %d", taker);
  for (long i = 0; i < count; i++) printf(" %d", children[i]);
  putchar('\n');
  if (fflush(stdout) != 0) fail("stdout");
  wait_for_end();
  for (long i = 0; i < count; i++) end_child(children[i]);
  return 0;
}
