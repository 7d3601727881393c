// hostile HEX: a process whose comm is these bytes; the kernel keeps the first 15 before a NUL.
// ready PID
#include "maker.h"

int main(int argc, char** argv) {
  die_with_test();
  if (argc != 2) refuse("usage: hostile HEX");
  size_t length = 0;
  char* const name = from_hex(argv[1], &length);
  if (prctl(PR_SET_NAME, name) != 0) fail("PR_SET_NAME");
  free(name);
  ready("%d", getpid());
  wait_for_end();
  return 0;
}
