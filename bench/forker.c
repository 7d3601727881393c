// forker: starts and ends idle processes on request, one at a time. Each byte on standard input is
// a request, and is answered with the same byte when it is done:
//   f  a child that stays     k  that child is killed and reaped     b  one that is born, ends, is
//   reaped
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(int stays) {
  const pid_t pid = fork();
  if (pid < 0) exit(1);
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (stays) pause();
  _exit(0);
}

int main(void) {
  pid_t child = 0;
  for (char request; read(STDIN_FILENO, &request, 1) == 1;) {
    if (request == 'f' && child == 0) child = start(1);
    if (request == 'b') waitpid(start(0), NULL, 0);
    if (request == 'k' && child > 0) {
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
      child = 0;
    }
    if (write(STDOUT_FILENO, &request, 1) != 1) return 1;
  }
  return 0;
}
