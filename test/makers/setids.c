// setids RUID EUID SUID RGID EGID SGID: a process with these ids. For root only.
// ready PID
#include "maker.h"

int main(int argc, char** argv) {
  if (argc != 7) refuse("usage: setids RUID EUID SUID RGID EGID SGID");
  id_t ids[6];
  for (int i = 0; i < 6; i++) ids[i] = (id_t)number(argv[i + 1], 0, 0x7fffffff);
  const pid_t parent = getppid();
  // The group first: without root it could not be changed any more.
  if (setresgid(ids[3], ids[4], ids[5]) != 0) fail("setresgid");
  if (setresuid(ids[0], ids[1], ids[2]) != 0) fail("setresuid");
  // A change of ids clears the death signal, so it is asked for after it.
  die_with(parent);
  ready("%d", getpid());
  wait_for_end();
  return 0;
}
