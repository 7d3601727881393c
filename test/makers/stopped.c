// stopped: a child that SIGSTOP holds.
// ready PID-OF-CHILD
#include "maker.h"

int main(void) {
  die_with_test();
  const pid_t pid = fork_child();
  if (pid == 0) {
    raise(SIGSTOP);
    for (;;) pause();
  }
  int status = 0;
  if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
    refuse("the child is not stopped");
  ready("%d", pid);
  wait_for_end();
  kill(pid, SIGCONT);
  end_child(pid);
  return 0;
}
