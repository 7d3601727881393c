// deleted MODE: a process whose program or working directory is not where its link says.
//   exe          runs a program that was unlinked
//   replaced     the same, and another file has the path now
//   suffix       runs a program that is there and is really called `program (deleted)`
//   suffix-gone  runs `program (deleted)`, which was unlinked
//   cwd          stands in a directory that was removed
//   cwd-suffix   stands in a directory that is there and is called `folder (deleted)`
// ready PID PATH, where PATH is the name that the program or directory had
#include <fcntl.h>
#include <sys/stat.h>

#include "maker.h"

static char folder[4096];
static char path[sizeof folder + 64];

static void copy_program(const char* to) {
  static char bytes[65536];
  const int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  if (in < 0 || out < 0) fail("copy to %s", to);
  for (ssize_t n; (n = read(in, bytes, sizeof bytes)) != 0;)
    if (n < 0 || write(out, bytes, (size_t)n) != n) fail("copy to %s", to);
  close(in);
  close(out);
}

// A child that outlives us by a moment and removes what is left, however we ended.
static void start_cleaner(void) {
  int alive[2];
  if (pipe(alive) != 0) fail("pipe");
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid > 0) {
    close(alive[0]);
    return;  // the write end stays open through the exec and closes with this process
  }
  char byte;
  close(alive[1]);
  for (int fd = 0; fd < 3; fd++) close(fd);
  while (read(alive[0], &byte, 1) < 0 && errno == EINTR) {
  }
  remove(path);
  rmdir(folder);
  _exit(0);
}

// What is left to do in the copy: MODE FOLDER PATH are the arguments.
static int run_copy(const char* mode) {
  if (strcmp(mode, "suffix") != 0 && unlink(path) != 0) fail("unlink %s", path);
  if (strcmp(mode, "replaced") == 0) copy_program(path);
  ready("%d %s", getpid(), path);
  wait_for_end();
  return 0;
}

static int stand_in_directory(const char* mode) {
  if (mkdir(path, 0700) != 0 || chdir(path) != 0) fail("%s", path);
  if (strcmp(mode, "cwd") == 0 && rmdir(path) != 0) fail("rmdir %s", path);
  ready("%d %s", getpid(), path);
  wait_for_end();
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 4) {
    snprintf(path, sizeof path, "%s", argv[3]);
    return run_copy(argv[1]);
  }
  static const char* const modes[] = {"exe",         "replaced", "suffix",
                                      "suffix-gone", "cwd",      "cwd-suffix"};
  die_with_test();
  const char* const mode = argc == 2 ? argv[1] : "";
  size_t known = 0;
  while (known < 6 && strcmp(mode, modes[known]) != 0) known++;
  if (known == 6) refuse("usage: deleted exe|replaced|suffix|suffix-gone|cwd|cwd-suffix");

  const char* const temporary = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/maker-XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) fail("mkdtemp %s", folder);
  const char* const name = strncmp(mode, "cwd", 3) == 0 ? "folder" : "program";
  const char* const suffix = strstr(mode, "suffix") ? " (deleted)" : "";
  snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
  start_cleaner();
  if (strncmp(mode, "cwd", 3) == 0) return stand_in_directory(mode);
  copy_program(path);
  char* const again[] = {argv[0], (char*)mode, folder, path, NULL};
  execv(path, again);
  fail("exec %s", path);
}
