// poll-floor WAY COUNT WARMUPS [PAUSE_MS]: what a look at a machine where nothing happens costs at
// the least, in the calls of a poller and nothing else. Prints CPU microseconds of one look,
// quantiles of the time of one by the clock, and the number of processes it would notice the end of
// or looked at.
//   news  pread of the kept /proc/loadavg, and epoll_wait on a pidfd of each process
//   list  the same and all of /proc listed, which is needed where a process has no pidfd
//   stat  the same as `news` and pread of the kept stat of each process
// With a pause before each look the program wakes up for it, which costs more than the look.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

enum { max_looks = 1000000, max_processes = 100000 };

static char buffer[1 << 17];
static int stats[max_processes];
static long processes;
static int epoll, loadavg, proc;

static void stop(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static void hold(int pid, int needs_pidfd, int needs_stat) {
  if (needs_pidfd) {
    const int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0 && errno == ESRCH) return;
    // As many as are allowed: what a wait on them costs does not depend on their number.
    if (pidfd < 0 && errno == EMFILE && !needs_stat) {
      processes++;
      return;
    }
    struct epoll_event event = {.events = EPOLLIN};
    if (pidfd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, pidfd, &event) != 0) stop("pidfd_open");
  }
  if (needs_stat) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    stats[processes] = open(path, O_RDONLY | O_CLOEXEC);
    if (stats[processes] < 0) stop(path);
  }
  processes++;
}

static void hold_all(int needs_pidfd, int needs_stat) {
  DIR* const folder = opendir("/proc");
  if (!folder) stop("/proc");
  for (struct dirent* entry; (entry = readdir(folder)) && processes < max_processes;)
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
      hold(atoi(entry->d_name), needs_pidfd, needs_stat);
  closedir(folder);
}

static void list(void) {
  if (lseek(proc, 0, SEEK_SET) < 0) stop("lseek");
  while (syscall(SYS_getdents64, proc, buffer, sizeof buffer) > 0) continue;
}

static void look(char way) {
  struct epoll_event event;
  if (pread(loadavg, buffer, 128, 0) <= 0) stop("/proc/loadavg");
  if (epoll_wait(epoll, &event, 1, 0) < 0) stop("epoll_wait");
  if (way == 'l') list();
  // One that has ended since has nothing to be read.
  if (way == 's')
    for (long i = 0; i < processes; i++) (void)!pread(stats[i], buffer, 1024, 0);
}

static void rest(long ms) {
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  if (ms > 0) nanosleep(&pause, NULL);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const int count = argc > 3 ? atoi(argv[2]) : 0;
  if (count < 1 || count > max_looks || !strchr("nls", argv[1][0])) {
    fputs("usage: poll-floor news|list|stat COUNT WARMUPS [PAUSE_MS]\n", stderr);
    return 2;
  }
  const char way = argv[1][0];
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) stop("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) stop("setrlimit");
  epoll = epoll_create1(EPOLL_CLOEXEC);
  loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (epoll < 0 || loadavg < 0 || proc < 0) stop("open");
  hold_all(way != 'l', way == 's');
  for (int i = atoi(argv[3]); i > 0; i--) look(way);

  const long pause_ms = argc > 4 ? atol(argv[4]) : 0;
  static double wall[max_looks];
  const double before = cpu_ms();
  for (int i = 0; i < count; i++) {
    rest(pause_ms);
    const double start = wall_ms();
    look(way);
    wall[i] = wall_ms() - start;
  }
  const double cpu = (cpu_ms() - before) / count;
  qsort(wall, (size_t)count, sizeof *wall, ascending);
  printf("{\"cpuUs\":%.4f,\"p50Us\":%.3f,\"p99Us\":%.3f,\"seen\":%ld}\n", cpu * 1e3,
         wall[count / 2] * 1e3, wall[(long)count * 99 / 100] * 1e3, processes);
  return 0;
}
