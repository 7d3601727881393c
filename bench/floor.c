// floor REPETITIONS WARMUPS [full|directory|threaded]: what a cold look at every process costs at
// the least. It lists /proc, and of each process reads `stat` and `cmdline` and the links `cwd` and
// `exe`, in the fewest calls that do it, and parses nothing. Prints the report that
// lib/trial.mjs prints too.
//   full       whole paths for every call
//   directory  one descriptor of /proc/<pid> for each process, the rest relative to it
//   threaded   as `full`, with a second thread that sleeps: in a process with threads the kernel
//              has to count every use of a descriptor, and no Node process is without threads
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum { max_repetitions = 10000 };

struct seen {
  long processes, argv, cwd, exe;
};

static char buffer[131072];

static ssize_t read_file(int at, const char* path) {
  const int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = read(fd, buffer, sizeof buffer);
  close(fd);
  return n;
}

static void read_process(int at, char* path, char* name, struct seen* seen) {
  memcpy(name, "stat", 5);
  if (read_file(at, path) <= 0) return;
  seen->processes++;
  memcpy(name, "cmdline", 8);
  seen->argv += read_file(at, path) > 0;
  memcpy(name, "cwd", 4);
  seen->cwd += readlinkat(at, path, buffer, 4096) > 0;
  memcpy(name, "exe", 4);
  seen->exe += readlinkat(at, path, buffer, 4096) > 0;
}

static struct seen look(int relative) {
  struct seen seen = {0};
  DIR* const proc = opendir("/proc");
  if (!proc) exit(1);
  char path[300] = "/proc/";
  for (struct dirent* entry; (entry = readdir(proc));) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const size_t length = strlen(entry->d_name);
    memcpy(path + 6, entry->d_name, length + 1);
    if (relative) {
      char name[16];
      const int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (directory < 0) continue;
      read_process(directory, name, name, &seen);
      close(directory);
    } else {
      path[6 + length] = '/';
      read_process(AT_FDCWD, path, path + 7 + length, &seen);
    }
  }
  closedir(proc);
  return seen;
}

static void* sleep_for_ever(void* unused) {
  for (;;) pause();
  return unused;
}

int main(int argc, char** argv) {
  const int repetitions = argc > 2 ? atoi(argv[1]) : 0;
  const int warmups = argc > 2 ? atoi(argv[2]) : 0;
  const char* const mode = argc > 3 ? argv[3] : "full";
  if (repetitions < 1 || repetitions > max_repetitions || warmups < 1) {
    fputs("usage: floor REPETITIONS WARMUPS [full|directory|threaded]\n", stderr);
    return 2;
  }
  const int relative = strcmp(mode, "directory") == 0;
  pthread_t sleeper;
  if (strcmp(mode, "threaded") == 0 && pthread_create(&sleeper, NULL, sleep_for_ever, NULL) != 0)
    return 1;

  static double wall[max_repetitions];
  const double first_start = wall_ms();
  look(relative);
  const double first = wall_ms() - first_start;
  for (int i = 1; i < warmups; i++) look(relative);
  struct seen least = {.processes = -1};
  const double before = cpu_ms();
  for (int i = 0; i < repetitions; i++) {
    const double start = wall_ms();
    const struct seen seen = look(relative);
    wall[i] = wall_ms() - start;
    if (least.processes < 0 || seen.processes < least.processes) least = seen;
  }
  const double cpu = (cpu_ms() - before) / repetitions;

  printf("{\"cpuMs\":%.6f,\"seen\":%ld,", cpu, least.processes);
  printf("\"facts\":{\"argv\":%ld,\"cwd\":%ld,\"exe\":%ld},", least.argv, least.cwd, least.exe);
  print_times(first, wall, repetitions);
  return 0;
}
