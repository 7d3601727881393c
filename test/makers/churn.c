// churn RATE TOTAL: TOTAL short-lived children, RATE of them each second (0: as fast as it goes).
// They live for 0 to 5 ms; every fourth one becomes another program image on the way, so that its
// arguments change under whoever reads them. Standard input closing ends it early.
// ready PID, and when all TOTAL are reaped: done TOTAL
#include <poll.h>
#include <time.h>

#include "maker.h"

enum { most_alive = 64, longest_us = 5000 };

static void live_for(long us) {
  const struct timespec life = {.tv_nsec = us * 1000};
  nanosleep(&life, NULL);
}

static void child(long i) {
  const long life = i * 7919 % longest_us;
  live_for(life / 2);
  if (i % 4) _exit(0);
  char left[32], index[32];
  snprintf(left, sizeof left, "%ld", life / 2);
  snprintf(index, sizeof index, "--child=%ld", i);
  char* const argv[] = {(char*)"churn-child", left, index, NULL};
  char* const env[] = {(char*)"MAKER_CHURN_CHILD=1", NULL};
  execve("/proc/self/exe", argv, env);
  _exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Whether standard input closed before `seconds` were over.
static int closed_within(double seconds) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  char bytes[64];
  const int timeout = seconds > 0 ? (int)(seconds * 1000) : 0;
  return poll(&in, 1, timeout) > 0 && read(STDIN_FILENO, bytes, sizeof bytes) <= 0;
}

int main(int argc, char** argv) {
  if (getenv("MAKER_CHURN_CHILD")) {
    if (argc > 1) live_for(number(argv[1], 0, longest_us));
    return 0;
  }
  die_with_test();
  if (argc != 3) refuse("usage: churn RATE TOTAL");
  const long rate = number(argv[1], 0, 100000), total = number(argv[2], 1, 1000000);
  ready("%d", getpid());

  const double start = now();
  long started = 0, reaped = 0;
  while (started < total) {
    const double due = rate > 0 ? start + (double)started / (double)rate : 0;
    if (closed_within(due - now())) break;
    // poll() counts in milliseconds; the rest of the wait goes by in turns of this loop.
    if (due > now()) continue;
    const pid_t pid = fork_child();
    if (pid == 0) child(started);
    started++;
    while (waitpid(-1, NULL, started - reaped >= most_alive ? 0 : WNOHANG) > 0) reaped++;
  }
  while (waitpid(-1, NULL, 0) > 0) reaped++;
  if (started == total) {
    printf("done %ld\n", reaped);
    fflush(stdout);
    wait_for_end();
  }
  return 0;
}
