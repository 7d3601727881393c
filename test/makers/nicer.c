// nicer NICE: a child with this nice value that leads a session and a process group of its own.
// ready PID-OF-CHILD
#include <sys/resource.h>

#include "maker.h"

int main(int argc, char** argv) {
  die_with_test();
  if (argc != 2) refuse("usage: nicer NICE");
  const int nice_value = (int)number(argv[1], -20, 19);
  const struct gate gate = gate_make();
  const pid_t pid = fork_child();
  if (pid == 0) {
    if (setsid() < 0) fail("setsid");
    if (setpriority(PRIO_PROCESS, 0, nice_value) != 0) fail("setpriority");
    gate_open(&gate);
    for (;;) pause();
  }
  gate_wait(&gate);
  ready("%d", pid);
  wait_for_end();
  end_child(pid);
  return 0;
}
