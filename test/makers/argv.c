// argv [ITEM ...]: a process with exactly this argument vector. An item is HEX, or HEX*COUNT for
// the bytes COUNT times over (`61*100000`); no item at all asks for argc = 0, which kernels since
// 5.18 turn into one empty string.
// ready PID ARGC
#include "maker.h"

static const char mark[] = "MAKER_ARGV=1";

static char* item_bytes(char* item) {
  char* const star = strchr(item, '*');
  const size_t count = star ? (size_t)number(star + 1, 0, 1 << 20) : 1;
  if (star) *star = 0;
  size_t length = 0;
  char* const once = from_hex(item, &length);
  char* const all = malloc(length * count + 1);
  if (!all) fail("malloc");
  for (size_t i = 0; i < count; i++) memcpy(all + i * length, once, length);
  all[length * count] = 0;
  free(once);
  return all;
}

int main(int argc, char** argv) {
  if (getenv("MAKER_ARGV")) {
    ready("%d %d", getpid(), argc);
    wait_for_end();
    return 0;
  }
  die_with_test();
  char** const wanted = calloc((size_t)argc + 1, sizeof *wanted);
  if (!wanted) fail("calloc");
  for (int i = 1; i < argc; i++) wanted[i - 1] = item_bytes(argv[i]);
  char* const env[] = {(char*)mark, NULL};
  // The signal asked for above survives the exec.
  execve("/proc/self/exe", wanted, env);
  fail("execve");
}
