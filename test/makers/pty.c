// pty: a child that leads a session on a terminal of its own and is in its foreground, and a
// grandchild in a background group of that session.
// ready PID-OF-CHILD SLAVE PID-OF-BACKGROUND
#include <fcntl.h>
#include <sys/ioctl.h>

#include "maker.h"

static void lead_session(const char* slave, const struct gate* gate, int report) {
  if (setsid() < 0) fail("setsid");
  const int terminal = open(slave, O_RDWR | O_NOCTTY);
  if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0) fail("%s", slave);
  for (int fd = 0; fd < 3; fd++) dup2(terminal, fd);
  if (terminal > 2) close(terminal);
  const pid_t background = fork_child();
  if (background == 0) {
    if (setpgid(0, 0) != 0) _exit(1);
    gate_open(gate);
    for (;;) pause();
  }
  gate_wait(gate);
  if (write(report, &background, sizeof background) != sizeof background) _exit(1);
  close(report);
  for (;;) pause();
}

int main(void) {
  die_with_test();
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) fail("posix_openpt");
  char slave[128];
  if (ptsname_r(master, slave, sizeof slave) != 0) fail("ptsname");
  int report[2];
  if (pipe(report) != 0) fail("pipe");
  const pid_t pid = fork_child();
  if (pid == 0) {
    close(master);
    close(report[0]);
    const struct gate gate = gate_make();
    lead_session(slave, &gate, report[1]);
  }
  close(report[1]);
  pid_t background;
  if (read(report[0], &background, sizeof background) != sizeof background)
    refuse("no child came up");
  close(report[0]);
  ready("%d %s %d", pid, slave, background);
  wait_for_end();
  end_child(pid);
  close(master);
  return 0;
}
