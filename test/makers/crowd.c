// crowd [COUNT=1000 [shared]]: idle children with command lines and working directories of everyday
// size; `shared`: children that are nothing but processes and share this program's memory, of which
// a hundred are made in the time of one of the others.
// ready COUNT
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>

#include "maker.h"

enum { report_fd = 3, stack_bytes = 16384 };

static const char parent_name[] = "MAKER_CROWD_PARENT";

static void idle(const char* parent) {
  static const char* const folders[] = {"/usr/share", "/", "/usr/lib", "/tmp", "/var/lib"};
  die_with((pid_t)atol(parent));
  // A folder that is missing leaves the inherited one: any will do.
  if (chdir(folders[getpid() % 5]) != 0) errno = 0;
  if (write(report_fd, "", 1) != 1) _exit(1);
  close(report_fd);
  for (;;) pause();
}

// Every line differs in several places, as the command lines of real workers do.
static pid_t start_worker(const char* self, posix_spawn_file_actions_t* actions, long i) {
  static const char* const roles[] = {"renderer", "indexer", "language-server", "watcher"};
  char id[48], role[48], config[96], port[32], parent[48];
  snprintf(id, sizeof id, "--worker-id=%06ld", i);
  snprintf(role, sizeof role, "--type=%s", roles[i % 4]);
  snprintf(config, sizeof config, "--config=/srv/projects/crowd-%04ld/config/service.json",
           i % 997);
  snprintf(port, sizeof port, "--port=%ld", 20000 + i % 40000);
  snprintf(parent, sizeof parent, "%s=%d", parent_name, getpid());
  char worker[] = "/usr/lib/crowd/bin/worker", quiet[] = "--quiet", language[] = "LANG=C";
  char* const argv[] = {worker, role, id, config, port, quiet, NULL};
  char* const env[] = {parent, language, NULL};
  pid_t pid;
  errno = posix_spawn(&pid, self, actions, NULL, argv, env);
  if (errno) fail("posix_spawn of worker %ld", i);
  return pid;
}

static int idle_shared(void* parent) {
  die_with((pid_t)(intptr_t)parent);
  for (;;) pause();
  return 0;
}

static void start_shared(pid_t* pids, long count) {
  char* const stacks = mmap(NULL, (size_t)count * stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) fail("mmap");
  for (long i = 0; i < count; i++) {
    char* const top = stacks + (i + 1) * stack_bytes;
    pids[i] = clone(idle_shared, top, CLONE_VM | SIGCHLD, (void*)(intptr_t)getpid());
    if (pids[i] < 0) fail("clone of child %ld", i);
  }
}

static void start_workers(pid_t* pids, long count) {
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) fail("readlink /proc/self/exe");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const int report = fcntl(ends[1], F_DUPFD_CLOEXEC, report_fd + 1);
  close(ends[1]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < report_fd; fd++)
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, report, report_fd);
  for (long i = 0; i < count; i++) pids[i] = start_worker(self, &actions, i);
  posix_spawn_file_actions_destroy(&actions);
  close(report);

  long arrived = 0;
  char bytes[512];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;) arrived += n;
  if (arrived != count) refuse("%ld of %ld workers came up", arrived, count);
}

int main(int argc, char** argv) {
  const char* const parent = getenv(parent_name);
  if (parent) idle(parent);
  die_with_test();
  const long count = argc > 1 ? number(argv[1], 1, 100000) : 1000;
  pid_t* const pids = calloc((size_t)count, sizeof *pids);
  if (!pids) fail("calloc");
  if (argc > 2 && strcmp(argv[2], "shared") == 0)
    start_shared(pids, count);
  else
    start_workers(pids, count);
  ready("%ld", count);
  wait_for_end();
  for (long i = 0; i < count; i++) kill(pids[i], SIGKILL);
  for (long i = 0; i < count; i++) end_child(pids[i]);
  free(pids);
  return 0;
}
