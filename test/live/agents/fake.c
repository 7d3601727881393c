// fake: waits, whatever its arguments say; a copy of it under an agent's name stands for that agent.
// FAKE_CHILD names a program to start below it, on the same terminal. Ends by itself in time, should
// nobody be left to end it.
#include "../../makers/maker.h"

int main(void) {
  alarm(300);
  const char* child = getenv("FAKE_CHILD");
  if (child) {
    const pid_t pid = fork_child();
    if (pid == 0) {
      unsetenv("FAKE_CHILD");
      execl(child, child, (char*)NULL);
      _exit(127);
    }
  }
  for (;;) pause();
}
