// fake: waits, whatever its arguments say; a copy of it under an agent's name stands for that agent.
// FAKE_CHILD names a program to start below it, on the same terminal. On SIGUSR1 it opens the file
// FAKE_OPEN, on SIGUSR2 it becomes the program FAKE_EXEC. Ends by itself in time, should nobody be
// left to end it.
#include <fcntl.h>

#include "../../makers/maker.h"

static const char* path_to_open;
static const char* program_to_become;

static void open_file(int number) {
  (void)number;
  if (path_to_open && open(path_to_open, O_RDWR) < 0) _exit(126);
}

static void become(int number) {
  (void)number;
  if (program_to_become) execl(program_to_become, program_to_become, (char*)NULL);
  _exit(127);
}

int main(void) {
  alarm(300);
  path_to_open = getenv("FAKE_OPEN");
  program_to_become = getenv("FAKE_EXEC");
  // A signal that becomes another program is not blocked there.
  const struct sigaction on_open = {.sa_handler = open_file};
  const struct sigaction on_become = {.sa_handler = become, .sa_flags = SA_NODEFER};
  if (sigaction(SIGUSR1, &on_open, NULL) != 0 || sigaction(SIGUSR2, &on_become, NULL) != 0)
    fail("sigaction");
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
