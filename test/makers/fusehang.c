// fusehang DIR [exec] [flush] [private] [uid=N]: mounts a FUSE file system of one file, `file`, at
// the empty directory DIR, and a child opens DIR/file and makes DIR its working directory. Needs
// /dev/fuse and CAP_SYS_ADMIN.
//   exec     the child also runs DIR/file, which is this program
//   flush    closing the file asks the daemon, and the command `exec` (answered by `execing`) has
//   the
//            child run another program, which closes it: after `hang` the child stands in the
//            middle of the exec with its exec lock held (begin_new_exec() of fs/exec.c)
//   private  the mount is in a mount namespace of the maker and the child, so that no other program
//            of the machine can run into it; /proc/PID/cwd and fd lead into it all the same
//   uid=N    the child runs as this user and group
// ready PID-OF-CHILD FD. Commands: `hang` (answered by `hanging`) leaves every request unread, so
// that a stat of DIR/file or through /proc/PID/cwd blocks; a waiter can be killed. `serve`
// (answered by `serving`) goes on. The end, however it comes, aborts the connection, which frees
// all waiters with an error, and unmounts.
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>

#include "fuseproto.h"
#include "scratch.h"

static const char exec_mark[] = "MAKER_FUSE_CHILD=1";

static void report(const int words[2], int to) {
  if (write(to, words, 2 * sizeof *words) != (ssize_t)(2 * sizeof *words)) _exit(1);
  close(to);
}

// The program that was started from the mount: argv[1] is its open file, argv[2] where to report.
__attribute__((noreturn)) static void stand_in_mount(char** argv) {
  const int words[2] = {getpid(), (int)number(argv[1], 0, 1 << 20)};
  report(words, (int)number(argv[2], 0, 1 << 20));
  for (;;) pause();
}

// Runs this program anew when told to.
__attribute__((noreturn)) static void wait_and_exec(void) {
  sigset_t go;
  sigemptyset(&go);
  sigaddset(&go, SIGUSR1);
  int signal;
  if (sigwait(&go, &signal) != 0) fail("sigwait");
  char name[] = "maker";
  char* const argv[] = {name, NULL};
  char* const env[] = {(char*)exec_mark, NULL};
  execve("/proc/self/exe", argv, env);
  fail("exec");
}

static void enter_mount(const char* directory, int runs, long uid, int to) {
  // A change of ids clears the death signal.
  const pid_t parent = getppid();
  if (uid >= 0) {
    if (setgroups(0, NULL) != 0 || setgid((gid_t)uid) != 0 || setuid((uid_t)uid) != 0)
      fail("uid %ld", uid);
    die_with(parent);
  }
  if (chdir(directory) != 0) fail("chdir %s", directory);
  const int fd = open("file", O_RDONLY | (asks_to_flush ? O_CLOEXEC : 0));
  if (fd < 0) fail("%s/file", directory);
  if (!runs) {
    const int words[2] = {getpid(), fd};
    report(words, to);
    if (asks_to_flush) wait_and_exec();
    for (;;) pause();
  }
  char file[16], report_to[16], name[] = "file";
  snprintf(file, sizeof file, "%d", fd);
  snprintf(report_to, sizeof report_to, "%d", to);
  char* const argv[] = {name, file, report_to, NULL};
  char* const env[] = {(char*)exec_mark, NULL};
  execve("file", argv, env);
  fail("exec %s/file", directory);
}

static void unmount(const char* directory) { umount2(directory, MNT_DETACH); }

static void check_directory(const char* directory) {
  char above[PATH_MAX + 4];
  struct stat here, parent;
  snprintf(above, sizeof above, "%s/..", directory);
  if (stat(directory, &here) != 0 || stat(above, &parent) != 0) fail("%s", directory);
  if (here.st_dev != parent.st_dev) refuse("%s is a mount already", directory);
}

static void mount_at(const char* directory, int fuse) {
  char options[128];
  snprintf(options, sizeof options, "fd=%d,rootmode=40755,user_id=%u,group_id=%u,allow_other", fuse,
           getuid(), getgid());
  if (mount("maker", directory, "fuse.maker", MS_NOSUID | MS_NODEV, options) != 0)
    fail("mount at %s", directory);
}

// Returns at the end of standard input. Waits for the child's report first and never touches the
// mount itself: it would wait for its own answer.
static void serve(int fuse, int reports, pid_t child) {
  struct pollfd ends[3] = {{.fd = fuse, .events = POLLIN},
                           {.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = reports, .events = POLLIN}};
  for (char line[64];;) {
    if (poll(ends, 3, -1) < 0) fail("poll");
    if (ends[0].revents) answer_request(fuse);
    if (ends[2].revents) {
      int words[2];
      if (read(reports, words, sizeof words) != sizeof words) refuse("the child did not come up");
      ends[2].fd = -1;
      ready("%d %d", words[0], words[1]);
    }
    if (!ends[1].revents) continue;
    const ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);
    if (n <= 0) return;
    line[n] = 0;
    if (asks_to_flush && strcmp(line, "exec\n") == 0) {
      if (kill(child, SIGUSR1) != 0) fail("kill");
      puts("execing");
      fflush(stdout);
      continue;
    }
    const int hangs = strcmp(line, "hang\n") == 0;
    if (!hangs && strcmp(line, "serve\n") != 0) return;
    ends[0].fd = hangs ? -1 : fuse;
    puts(hangs ? "hanging" : "serving");
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  if (getenv("MAKER_FUSE_CHILD") && argc == 3) stand_in_mount(argv);
  if (getenv("MAKER_FUSE_CHILD") && argc == 1) {
    for (;;) pause();
  }
  die_with_test();
  if (argc < 2) refuse("usage: fusehang DIR [exec] [flush] [private] [uid=N]");
  int runs = 0, private = 0;
  long uid = -1;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "exec") == 0) {
      runs = 1;
    } else if (strcmp(argv[i], "flush") == 0) {
      asks_to_flush = 1;
    } else if (strcmp(argv[i], "private") == 0) {
      private = 1;
    } else if (strncmp(argv[i], "uid=", 4) == 0) {
      uid = number(argv[i] + 4, 0, 1 << 30);
    } else {
      refuse("unknown word '%s'", argv[i]);
    }
  }
  char* const directory = realpath(argv[1], NULL);
  if (!directory) fail("%s", argv[1]);
  check_directory(directory);
  if (private && (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, NULL) != 0))
    fail("private mounts");
  const struct cleaner cleaner = cleaner_start(unmount, directory);
  // A request can be withdrawn between poll() and read(), which must not block then.
  const int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fuse < 0) fail("/dev/fuse");
  mount_at(directory, fuse);
  int ends[2];
  if (pipe(ends) != 0) fail("pipe");
  // Blocked from before the fork, so that no signal comes too early.
  sigset_t go;
  sigemptyset(&go);
  sigaddset(&go, SIGUSR1);
  if (sigprocmask(SIG_BLOCK, &go, NULL) != 0) fail("sigprocmask");
  const pid_t pid = fork_child();
  if (pid == 0) {
    // Held here too, the connection would outlive the maker.
    close(fuse);
    close(ends[0]);
    enter_mount(directory, runs, uid, ends[1]);
  }
  close(ends[1]);
  serve(fuse, ends[0], pid);
  close(fuse);
  end_child(pid);
  cleaner_end(&cleaner);
  free(directory);
  return 0;
}
