// stage: a program on a terminal of its own (or, with `none`, in a session without one), away from
// whatever runs the tests. Held until standard input closes.
// stage tty|none PROGRAM ARGV0 [ARGUMENT ...]
// ready PID-OF-PROGRAM
// STAGE_HOLD: lines `open PATH`, `lock PATH` (an exclusive flock) or `share PATH` (a shared one), for
// files and folders that the program has open from its first moment on.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#include "../../makers/maker.h"

static void take_input(const char* path, int is_terminal) {
  const int input = open(path, O_RDWR | O_NOCTTY);
  if (input < 0 || (is_terminal && ioctl(input, TIOCSCTTY, 0) != 0)) fail("%s", path);
  for (int fd = 0; fd < 2; fd++) dup2(input, fd);
}

static void hold(const char* way, const char* path) {
  // A folder opens for reading only.
  int fd = open(path, O_RDWR);
  if (fd < 0) fd = open(path, O_RDONLY);
  if (fd < 0) fail("%s", path);
  const int locks = strcmp(way, "lock") == 0 ? LOCK_EX : strcmp(way, "share") == 0 ? LOCK_SH : 0;
  if (locks && flock(fd, locks | LOCK_NB) != 0) fail("flock %s", path);
}

static void hold_all(void) {
  char* lines = getenv("STAGE_HOLD");
  if (!lines) return;
  char* rest = NULL;
  char* copy = strdup(lines);
  for (char* line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char* path = strchr(line, ' ');
    if (!path) refuse("'%s' holds nothing", line);
    *path = 0;
    hold(line, path + 1);
  }
  free(copy);
  unsetenv("STAGE_HOLD");
}

int main(int argc, char** argv) {
  if (argc < 4) refuse("stage tty|none PROGRAM ARGV0 [ARGUMENT ...]");
  die_with_test();
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) fail("posix_openpt");
  char slave[128];
  if (ptsname_r(master, slave, sizeof slave) != 0) fail("ptsname");
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) fail("pipe");

  const pid_t pid = fork_child();
  if (pid == 0) {
    if (setsid() < 0) fail("setsid");
    const int is_terminal = strcmp(argv[1], "tty") == 0;
    take_input(is_terminal ? slave : "/dev/null", is_terminal);
    hold_all();
    execv(argv[2], argv + 3);
    if (write(started[1], "x", 1) != 1) _exit(126);
    _exit(127);
  }
  close(started[1]);
  char byte;
  // The pipe closes with a successful exec; a byte in it means that there was none.
  if (read(started[0], &byte, 1) != 0) refuse("cannot run %s", argv[2]);
  ready("%d", pid);
  wait_for_end();
  end_child(pid);
  return 0;
}
