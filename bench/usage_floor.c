// The fewest calls that a 1 kHz sampler of a tree makes, and a tree to make them on.
//   usage_floor tree N            N idle processes, itself one of them; says their pids, stays
//   until its input closes usage_floor look MS COUNT MEMORY PID...
//                                 COUNT looks, MS apart: the clock of each process, statm with
//                                 MEMORY = 1; every 10 ms stat and the children of each and
//                                 /proc/loadavg. Says the CPU time of its thread in milliseconds
//                                 and the number of looks that it was late for.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { most = 4096 };

struct followed {
  clockid_t clock;
  int stat, statm, children;
};

static struct followed followed[most];
static char bytes[4096];

static void fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static int tree(int count) {
  printf("%d", getpid());
  for (int i = 1; i < count; i++) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    printf(" %d", pid);
  }
  printf("\n");
  fflush(stdout);
  while (read(STDIN_FILENO, bytes, sizeof bytes) > 0) {
  }
  kill(0, SIGTERM);
  return 0;
}

static int file_of(int pid, const char* name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  return file;
}

static void follow(struct followed* into, int pid) {
  char children[32];
  snprintf(children, sizeof children, "task/%d/children", pid);
  if (clock_getcpuclockid(pid, &into->clock) != 0) fail("clock_getcpuclockid");
  into->stat = file_of(pid, "stat");
  into->statm = file_of(pid, "statm");
  into->children = file_of(pid, children);
  if (into->stat < 0 || into->statm < 0) fail("stat");
}

static void take(int file) {
  if (file >= 0 && pread(file, bytes, sizeof bytes, 0) < 0) fail("pread");
}

static void look(int count, int memory, int everything, int loadavg) {
  struct timespec time;
  for (int i = 0; i < count; i++) {
    if (clock_gettime(followed[i].clock, &time) != 0) fail("clock_gettime");
    if (memory) take(followed[i].statm);
    if (!everything) continue;
    take(followed[i].stat);
    take(followed[i].children);
  }
  if (everything) take(loadavg);
}

static int sample(long interval, long looks, int memory, int count) {
  const int loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  const long round = interval >= 10 ? 1 : 10 / interval;
  struct timespec deadline, now;
  long late = 0;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  for (long i = 0; i < looks; i++) {
    look(count, memory, i % round == 0, loadavg);
    deadline.tv_nsec += interval * 1000000;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > deadline.tv_sec ||
        (now.tv_sec == deadline.tv_sec && now.tv_nsec > deadline.tv_nsec)) {
      late++;
      deadline = now;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
  }
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  const double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
                     (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
  printf("%.3f %ld\n", cpu, late);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "tree") == 0) {
    setpgid(0, 0);
    signal(SIGTERM, SIG_DFL);
    return tree(atoi(argv[2]));
  }
  if (argc < 6 || strcmp(argv[1], "look") != 0 || argc - 5 > most) return 2;
  for (int i = 5; i < argc; i++) follow(&followed[i - 5], atoi(argv[i]));
  return sample(atol(argv[2]), atol(argv[3]), atoi(argv[4]), argc - 5);
}
