// without CALL PROGRAM [ARG ...]: runs the program where the system call (pidfd_open) does not
// exist: it answers ENOSYS, as an older kernel does.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "maker.h"

int main(int argc, char** argv) {
  if (argc < 3 || strcmp(argv[1], "pidfd_open") != 0) refuse("without pidfd_open PROGRAM");
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof steps / sizeof steps[0], steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("PR_SET_NO_NEW_PRIVS");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) fail("PR_SET_SECCOMP");
  execvp(argv[2], argv + 2);
  fail("%s", argv[2]);
}
