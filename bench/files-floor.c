// files-floor REPETITIONS WARMUPS pid|all|holders [FILE]: what a look at open files costs at the
// least. Of each process it lists `fd`, and of each descriptor, of `cwd`, `root` and `exe` reads
// the link and the facts of the file behind it; then `maps`. Nothing is parsed but the names of
// directories. Prints the report that lib/trial.mjs prints too.
//   pid      one process of the crowd
//   all      every process
//   holders  every process, and only whether a file is FILE: no link is read
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

enum { max_repetitions = 10000 };

struct target {
  int only_matches;
  unsigned major, minor;
  unsigned long long ino;
};

static char buffer[1 << 16];

static long look_at(const char* path, const struct target* target) {
  if (!target->only_matches && readlink(path, buffer, PATH_MAX) < 0) return 0;
  struct statx facts;
  const unsigned wanted = STATX_TYPE | STATX_INO;
  if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, wanted, &facts) != 0) return 0;
  if (!target->only_matches) return 1;
  return facts.stx_ino == target->ino && facts.stx_dev_major == target->major &&
         facts.stx_dev_minor == target->minor;
}

static void read_maps(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  while (read(fd, buffer, sizeof buffer) > 0) continue;
  close(fd);
}

static long look_at_process(const char* pid, const struct target* target) {
  char path[300];
  const size_t base = (size_t)snprintf(path, 40, "/proc/%s/", pid);
  static const char* const links[] = {"cwd", "root", "exe"};
  long seen = 0;
  for (int i = 0; i < 3; i++) {
    strcpy(path + base, links[i]);
    seen += look_at(path, target);
  }
  strcpy(path + base, "maps");
  read_maps(path);
  strcpy(path + base, "fd");
  DIR* const folder = opendir(path);
  if (!folder) return seen;
  path[base + 2] = '/';
  for (struct dirent* entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    strcpy(path + base + 3, entry->d_name);
    seen += look_at(path, target);
  }
  closedir(folder);
  return seen;
}

static int is_pid(const char* name) { return name[0] >= '1' && name[0] <= '9'; }

static long look_at_all(const struct target* target) {
  DIR* const proc = opendir("/proc");
  if (!proc) exit(1);
  long seen = 0;
  for (struct dirent* entry; (entry = readdir(proc));) {
    if (is_pid(entry->d_name)) seen += look_at_process(entry->d_name, target);
  }
  closedir(proc);
  return seen;
}

/// The first process whose command line is one of the crowd's.
static void find_worker(char* pid, size_t size) {
  DIR* const proc = opendir("/proc");
  if (!proc) exit(1);
  for (struct dirent* entry; (entry = readdir(proc)) && !*pid;) {
    if (!is_pid(entry->d_name)) continue;
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, buffer, sizeof buffer);
    if (fd >= 0) close(fd);
    if (length > 0 && memmem(buffer, (size_t)length, "--worker-id=", 12))
      snprintf(pid, size, "%s", entry->d_name);
  }
  closedir(proc);
  if (!*pid) exit(1);
}

int main(int argc, char** argv) {
  const int repetitions = argc > 3 ? atoi(argv[1]) : 0;
  const int warmups = argc > 3 ? atoi(argv[2]) : 0;
  if (repetitions < 1 || repetitions > max_repetitions || warmups < 1) {
    fputs("usage: files-floor REPETITIONS WARMUPS pid|all|holders [FILE]\n", stderr);
    return 2;
  }
  char pid[300] = "";
  struct target target = {0};
  if (strcmp(argv[3], "pid") == 0) find_worker(pid, sizeof pid);
  if (strcmp(argv[3], "holders") == 0) {
    struct statx facts;
    // Held open here, as the other trials hold it: somebody has to be found.
    if (argc < 5 || open(argv[4], O_RDONLY | O_CLOEXEC) < 0 ||
        statx(AT_FDCWD, argv[4], 0, STATX_INO, &facts) != 0)
      return 2;
    target = (struct target){1, facts.stx_dev_major, facts.stx_dev_minor, facts.stx_ino};
  }

  static double wall[max_repetitions];
  const double first_start = wall_ms();
  long seen = *pid ? look_at_process(pid, &target) : look_at_all(&target);
  const double first = wall_ms() - first_start;
  for (int i = 1; i < warmups; i++) {
    if (*pid)
      look_at_process(pid, &target);
    else
      look_at_all(&target);
  }
  const double before = cpu_ms();
  for (int i = 0; i < repetitions; i++) {
    const double start = wall_ms();
    const long now = *pid ? look_at_process(pid, &target) : look_at_all(&target);
    wall[i] = wall_ms() - start;
    if (now < seen) seen = now;
  }
  printf("{\"cpuMs\":%.6f,\"seen\":%ld,\"facts\":{},", (cpu_ms() - before) / repetitions, seen);
  print_times(first, wall, repetitions);
  return 0;
}
