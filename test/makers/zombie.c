// zombie: a child that has ended and is not waited for.
// ready PID-OF-ZOMBIE
#include "maker.h"

int main(void) {
  die_with_test();
  const pid_t pid = fork_child();
  if (pid == 0) _exit(7);
  siginfo_t info;
  // WNOWAIT leaves it a zombie: this only waits until it is one.
  if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0) fail("waitid");
  ready("%d", pid);
  wait_for_end();
  end_child(pid);
  return 0;
}
