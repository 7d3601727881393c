// parts ROUNDS: CPU microseconds of each way to read one fact of one process, per process.
// All parts take turns in every round, so that drift hits all alike; the median of the rounds is
// printed as `name microseconds`, one part a line.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { max_pids = 65536, max_rounds = 1001 };

static char buffer[65536];
static int pids[max_pids];
static int directories[max_pids];
static int kept_stat[max_pids];
static int kept_cmdline[max_pids];
static int count;

static void list_pids(void) {
  DIR* const proc = opendir("/proc");
  if (!proc) exit(1);
  count = 0;
  for (struct dirent* entry; (entry = readdir(proc));) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && count < max_pids)
      pids[count++] = atoi(entry->d_name);
  }
  closedir(proc);
}

static int read_all(int fd) {
  if (fd < 0) return -1;
  ssize_t n;
  do n = read(fd, buffer, sizeof buffer);
  while (n > 0);
  return close(fd);
}

static int read_once(int fd) {
  if (fd < 0) return -1;
  const ssize_t n = read(fd, buffer, sizeof buffer);
  close(fd);
  return (int)n;
}

static char path[64];
static const char* of(int i, const char* name) {
  snprintf(path, sizeof path, "/proc/%d/%s", pids[i], name);
  return path;
}

static const int open_flags = O_RDONLY | O_CLOEXEC;

static void none(int i) { (void)of(i, "stat"); }
static void stat_once(int i) { read_once(open(of(i, "stat"), open_flags)); }
static void stat_to_end(int i) { read_all(open(of(i, "stat"), open_flags)); }
static void status_once(int i) { read_once(open(of(i, "status"), open_flags)); }
static void cmdline_once(int i) { read_once(open(of(i, "cmdline"), open_flags)); }
static void cmdline_to_end(int i) { read_all(open(of(i, "cmdline"), open_flags)); }
static void comm_once(int i) { read_once(open(of(i, "comm"), open_flags)); }
static void open_close(int i) { close(open(of(i, "stat"), open_flags)); }
static void link_cwd(int i) { (void)!readlink(of(i, "cwd"), buffer, 4096); }
static void link_exe(int i) { (void)!readlink(of(i, "exe"), buffer, 4096); }
static void link_ns_pid(int i) { (void)!readlink(of(i, "ns/pid"), buffer, 4096); }
static void stat_exe(int i) {
  struct stat st;
  (void)!stat(of(i, "exe"), &st);
}
static void stat_directory(int i) {
  struct stat st;
  (void)!stat(of(i, ""), &st);
}

// The same through a directory descriptor that is opened for the row and closed after it.
static int open_directory(int i) {
  snprintf(path, sizeof path, "/proc/%d", pids[i]);
  return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}
static void dir_open_close(int i) { close(open_directory(i)); }
static void row(int i) {
  stat_once(i);
  cmdline_once(i);
  link_cwd(i);
  link_exe(i);
}
static void row_at(int dir) {
  read_once(openat(dir, "stat", open_flags));
  read_once(openat(dir, "cmdline", open_flags));
  (void)!readlinkat(dir, "cwd", buffer, 4096);
  (void)!readlinkat(dir, "exe", buffer, 4096);
}
static void row_dir(int i) {
  const int dir = open_directory(i);
  row_at(dir);
  close(dir);
}

// The same relative to one descriptor of /proc: no walk over the mount point for each call.
static int proc_directory;
static const char* below(int i, const char* name) {
  snprintf(path, sizeof path, "%d/%s", pids[i], name);
  return path;
}
static void row_proc(int i) {
  read_once(openat(proc_directory, below(i, "stat"), open_flags));
  read_once(openat(proc_directory, below(i, "cmdline"), open_flags));
  (void)!readlinkat(proc_directory, below(i, "cwd"), buffer, 4096);
  (void)!readlinkat(proc_directory, below(i, "exe"), buffer, 4096);
}

// The same through a descriptor that was kept.
static void row_kept_dir(int i) { row_at(directories[i]); }
static void stat_kept_dir(int i) { read_once(openat(directories[i], "stat", open_flags)); }
static void cwd_kept_dir(int i) { (void)!readlinkat(directories[i], "cwd", buffer, 4096); }
static void exe_stat_kept_dir(int i) {
  struct stat st;
  (void)!fstatat(directories[i], "exe", &st, 0);
}
static void stat_kept(int i) { (void)!pread(kept_stat[i], buffer, sizeof buffer, 0); }
static void cmdline_kept(int i) { (void)!pread(kept_cmdline[i], buffer, sizeof buffer, 0); }

static const struct part {
  const char* name;
  void (*work)(int i);
} parts[] = {
    {"path-only", none},
    {"stat-open-read-close", stat_once},
    {"stat-open-read-read-close", stat_to_end},
    {"stat-open-close", open_close},
    {"status-open-read-close", status_once},
    {"comm-open-read-close", comm_once},
    {"cmdline-open-read-close", cmdline_once},
    {"cmdline-open-read-read-close", cmdline_to_end},
    {"cwd-readlink", link_cwd},
    {"exe-readlink", link_exe},
    {"ns-pid-readlink", link_ns_pid},
    {"exe-stat-through", stat_exe},
    {"directory-stat", stat_directory},
    {"directory-open-close", dir_open_close},
    {"row-full-paths", row},
    {"row-below-kept-proc", row_proc},
    {"row-directory-opened", row_dir},
    {"row-directory-kept", row_kept_dir},
    {"stat-openat-kept-directory", stat_kept_dir},
    {"cwd-readlinkat-kept-directory", cwd_kept_dir},
    {"exe-fstatat-kept-directory", exe_stat_kept_dir},
    {"stat-pread-kept", stat_kept},
    {"cmdline-pread-kept", cmdline_kept},
};
enum { part_count = sizeof parts / sizeof *parts };

static double cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 15;
  if (rounds < 1 || rounds > max_rounds) return 2;
  list_pids();
  proc_directory = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < count; i++) {
    directories[i] = open_directory(i);
    kept_stat[i] = open(of(i, "stat"), open_flags);
    kept_cmdline[i] = open(of(i, "cmdline"), open_flags);
    if (kept_cmdline[i] < 0) return 3;
  }
  static double spent[part_count][max_rounds];
  for (int round = -1; round < rounds; round++) {  // the first one warms up
    for (int part = 0; part < part_count; part++) {
      const double before = cpu_us();
      for (int i = 0; i < count; i++) parts[part].work(i);
      if (round >= 0) spent[part][round] = (cpu_us() - before) / count;
    }
  }
  printf("processes %d\n", count);
  for (int part = 0; part < part_count; part++) {
    qsort(spent[part], (size_t)rounds, sizeof(double), ascending);
    printf("%s %.2f\n", parts[part].name, spent[part][rounds / 2]);
  }
  return 0;
}
