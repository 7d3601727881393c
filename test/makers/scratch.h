// A folder for what a maker puts into the file system. It goes when the maker goes, however that
// ends: a cleaner process outlives the maker by a moment.
#ifndef SCRATCH_H
#define SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "maker.h"

struct cleaner {
  pid_t pid;
  int alive;
};

static int remove_entry(const char* path, const struct stat* facts, int kind, struct FTW* at) {
  (void)facts, (void)kind, (void)at;
  remove(path);
  return 0;
}

UNUSED_OK static void remove_tree(const char* path) {
  nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

// In the cleaner. A session of its own keeps the signals of a terminal away from it.
static void leave_the_maker(void) {
  setsid();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  for (int fd = 0; fd < 3; fd++) close(fd);
  if (chdir("/") != 0) _exit(1);
}

static void wait_for_hangup(int alive) {
  char byte;
  while (read(alive, &byte, 1) < 0 && errno == EINTR) {
  }
}

// Starts a process that calls clean(path) as soon as the maker and the children it forks later are
// gone. Comes before what it cleans and before descriptors that must not be held twice.
UNUSED_OK static struct cleaner cleaner_start(void (*clean)(const char*), const char* path) {
  int alive[2];
  if (pipe2(alive, O_CLOEXEC) != 0) fail("pipe");
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    close(alive[1]);
    leave_the_maker();
    wait_for_hangup(alive[0]);
    clean(path);
    _exit(0);
  }
  close(alive[0]);
  return (struct cleaner){.pid = pid, .alive = alive[1]};
}

// For a clean end: returns when everything is removed. Children have to be gone before.
UNUSED_OK static void cleaner_end(const struct cleaner* cleaner) {
  close(cleaner->alive);
  while (waitpid(cleaner->pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

enum { scratch_bytes = PIPE_BUF };

// Makes a folder in `parent` (NULL: TMPDIR or /tmp) and writes its absolute path to `folder`. The
// cleaner makes it, so that there is no moment when nobody would remove it.
UNUSED_OK static struct cleaner scratch_make(const char* parent, char folder[scratch_bytes]) {
  const char* const temporary = getenv("TMPDIR");
  char* const real = realpath(parent ? parent : temporary ? temporary : "/tmp", NULL);
  if (!real || strlen(real) > scratch_bytes - 64) fail("%s", parent ? parent : "TMPDIR");
  memset(folder, 0, scratch_bytes);
  snprintf(folder, scratch_bytes, "%s/maker-XXXXXX", real);
  free(real);
  int alive[2], made[2];
  if (pipe2(alive, O_CLOEXEC) != 0 || pipe2(made, O_CLOEXEC) != 0) fail("pipe");
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    close(alive[1]);
    close(made[0]);
    leave_the_maker();
    if (!mkdtemp(folder)) _exit(1);
    if (write(made[1], folder, scratch_bytes) == scratch_bytes) {
      close(made[1]);
      wait_for_hangup(alive[0]);
    }
    remove_tree(folder);
    _exit(0);
  }
  close(alive[0]);
  close(made[1]);
  if (read(made[0], folder, scratch_bytes) != scratch_bytes) refuse("no scratch folder");
  close(made[0]);
  return (struct cleaner){.pid = pid, .alive = alive[1]};
}

#endif
