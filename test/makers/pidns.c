// pidns PATH: a child that is pid 1 of a pid namespace of its own, and its child there; the first
// took an exclusive flock on PATH, which has to exist, and the second shares it. Root only.
// ready PID-OF-FIRST FD PID-OF-SECOND INNER-PID-OF-SECOND; the pids as seen by the maker
#include <sched.h>
#include <sys/socket.h>

#include "locking.h"

struct word {
  pid_t inner;
  int fd;
};

// Sends with the sender's pid, which the kernel translates for whoever receives it.
static void report(int to, struct word word) {
  if (send(to, &word, sizeof word, 0) != sizeof word) _exit(1);
}

static pid_t receive(int from, struct word* word) {
  char control[CMSG_SPACE(sizeof(struct ucred))];
  struct iovec part = {word, sizeof *word};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(from, &message, 0) != sizeof *word) refuse("no process came up in the namespace");
  const struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_CREDENTIALS) refuse("no pid came with the word");
  struct ucred sender;
  memcpy(&sender, CMSG_DATA(header), sizeof sender);
  return sender.pid;
}

// getppid() is 0 in there, so the socket tells whether the maker is still alive.
static void live_inside(const char* path, int socket) {
  char byte;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("PR_SET_PDEATHSIG");
  const struct lock_kind kind = lock_kind("flock-ex");
  const int fd = open_to_lock(kind, path);
  if (take_lock(fd, kind, 0, 0, 0) != 0) fail("flock on %s", path);
  report(socket, (struct word){getpid(), fd});
  const pid_t second = fork_child();
  if (second == 0) report(socket, (struct word){getpid(), fd});
  while (read(socket, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

int main(int argc, char** argv) {
  die_with_test();
  if (argc != 2) refuse("usage: pidns PATH");
  int ends[2];
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
      setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    fail("socketpair");
  if (unshare(CLONE_NEWPID) != 0) fail("a pid namespace");
  // The death signal is asked for in there: fork_child() compares with a pid from outside.
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    close(ends[0]);
    live_inside(argv[1], ends[1]);
  }
  close(ends[1]);
  struct word first, second;
  const pid_t first_pid = receive(ends[0], &first), second_pid = receive(ends[0], &second);
  if (first_pid != child || first.inner != 1) refuse("the first process is not pid 1");
  ready("%d %d %d %d", first_pid, first.fd, second_pid, second.inner);
  wait_for_end();
  end_child(child);
  return 0;
}
