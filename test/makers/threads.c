// threads N [NAME] [leader-exits]: N threads beside the main one, which is renamed to NAME (default
// `MainThread`). With `leader-exits` the main thread ends and leaves a process that is a zombie by
// its own stat file while its threads live on.
// ready PID N
#include <pthread.h>
#include <time.h>

#include "maker.h"

static pthread_barrier_t all_up;
static int leader_exits;
static long count;

static char leader_state(void) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", getpid());
  FILE* const file = fopen(path, "r");
  if (!file) fail("%s", path);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  const char* const end_of_comm = strrchr(text, ')');
  return end_of_comm ? end_of_comm[2] : 0;
}

// One thread speaks and listens when the leader cannot.
static void hold(void) {
  const struct timespec pause_time = {.tv_nsec = 1000000};
  while (leader_exits && leader_state() != 'Z') nanosleep(&pause_time, NULL);
  ready("%d %ld", getpid(), count);
  wait_for_end();
  exit(0);
}

static void* worker(void* first) {
  pthread_barrier_wait(&all_up);
  if (first && leader_exits) hold();
  for (;;) pause();
  return NULL;
}

int main(int argc, char** argv) {
  die_with_test();
  if (argc < 2 || argc > 4) refuse("usage: threads N [NAME] [leader-exits]");
  count = number(argv[1], 1, 10000);
  leader_exits = argc == 4 && strcmp(argv[3], "leader-exits") == 0;
  if (argc == 4 && !leader_exits) refuse("unknown word '%s'", argv[3]);
  pthread_barrier_init(&all_up, NULL, (unsigned)count + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (long i = 0; i < count; i++) {
    pthread_t thread;
    errno = pthread_create(&thread, &small, worker, i == 0 ? (void*)&all_up : NULL);
    if (errno) fail("pthread_create");
  }
  if (prctl(PR_SET_NAME, argc > 2 ? argv[2] : "MainThread") != 0) fail("PR_SET_NAME");
  pthread_barrier_wait(&all_up);
  if (leader_exits) pthread_exit(NULL);
  hold();
}
