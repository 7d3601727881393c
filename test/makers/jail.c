// jail [DIR]: a process whose root is a folder of its own, made in DIR (default TMPDIR or /tmp) and
// removed at the end, and which stands in /inside with /inside/file open there. Root only.
// ready PID FD ROOT, where ROOT is the folder as seen from outside
#include "scratch.h"

int main(int argc, char** argv) {
  die_with_test();
  static char root[scratch_bytes];
  const struct cleaner cleaner = scratch_make(argc > 1 ? argv[1] : NULL, root);
  if (chroot(root) != 0 || chdir("/") != 0) fail("chroot to %s", root);
  if (mkdir("inside", 0700) != 0 || chdir("inside") != 0) fail("/inside");
  const int fd = open("/inside/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) fail("/inside/file");
  ready("%d %d %s", getpid(), fd, root);
  wait_for_end();
  cleaner_end(&cleaner);
  return 0;
}
