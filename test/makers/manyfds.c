// manyfds [N=20000] [changing]: a process with N descriptors, or as many as the machine allows:
// /dev/null, eventfds, epolls and sockets in turn. With `changing` the lower half of them stays
// and descriptors of the upper half are closed and opened all the time.
// ready PID GOT FIRST LAST, of the numbers of its descriptors FIRST to LAST (there is no gap)
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "maker.h"

enum { standard_fds = 3, most_closed = 64 };

static int open_one(long turn) {
  switch (turn % 4) {
    case 0:
      return open("/dev/null", O_RDWR | O_CLOEXEC);
    case 1:
      return eventfd(0, EFD_CLOEXEC);
    case 2:
      return epoll_create1(EPOLL_CLOEXEC);
    default:
      return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  }
}

static void allow(rlim_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
  const rlim_t highest = limit.rlim_max;
  if (highest < wanted) limit.rlim_max = wanted;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  // Not allowed to raise the hard limit: what it gives has to do.
  limit.rlim_cur = limit.rlim_max = highest;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit");
}

// Closing several before the first is opened again leaves gaps that a reader can meet.
static void change(int first, long count, long turn) {
  const long upper = count - count / 2;
  const long closed = upper < most_closed ? upper : most_closed;
  const long from = first + count / 2 + turn * 7919 % (upper - closed + 1);
  for (long i = 0; i < closed; i++) close((int)(from + i));
  for (long i = 0; i < closed; i++)
    if (open_one(turn + i) < 0) fail("open again");
}

int main(int argc, char** argv) {
  die_with_test();
  long wanted = 20000, turn = 0;
  int changing = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "changing") == 0) {
      changing = 1;
    } else {
      wanted = number(argv[i], 1, 1 << 20);
    }
  }
  // What was inherited would be in the way of a row of numbers without a gap.
  close_range(standard_fds, ~0U, 0);
  allow((rlim_t)wanted + standard_fds);
  int first = -1, last = -1;
  long count = 0;
  for (; count < wanted; count++) {
    const int fd = open_one(count);
    if (fd < 0) break;
    if (first < 0) first = fd;
    last = fd;
  }
  if (count == 0) fail("no descriptor");
  ready("%d %ld %d %d", getpid(), count, first, last);
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  while (changing && poll(&in, 1, 0) == 0) change(first, count, turn++);
  wait_for_end();
  return 0;
}
