// fds: a process that holds one descriptor of each kind. Names are in the folder of the ready line:
//   regular    `regular`, 100 bytes, offset 42, O_APPEND        directory  the folder itself
//   fifo       `fifo`                                           gone       `gone`, unlinked
//   suffix     `x (deleted)`, which is there                    newline    "new\nline"
//   invalid    "bad\xff\xfe"                                    path       `regular` with O_PATH
// null, pipe-read, pipe-write, memfd (`my memfd`), eventfd (count 7), epoll (watches eventfd),
// inotify and fanotify (watch the folder), timerfd, signalfd (SIGUSR1), pidfd, io_uring,
// userfaultfd, netns and ptmx say what they are. What the machine refuses is printed as `NAME=-`.
// ready PID folder=FOLDER pidfd-target=PID mapped=INODE NAME=FD ..., where the file `mapped` is
// mapped and not open
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "scratch.h"

static char folder[scratch_bytes];

static void say(const char* name, long fd) {
  if (fd < 0) {
    printf(" %s=-", name);
  } else {
    printf(" %s=%ld", name, fd);
  }
}

static int open_at(int directory, const char* name, int flags) {
  const int fd = openat(directory, name, flags | O_CLOEXEC, 0600);
  if (fd < 0) fail("%s in %s", name, folder);
  return fd;
}

static void hold_files(int directory) {
  static char bytes[100];
  const int regular = open_at(directory, "regular", O_RDWR | O_CREAT | O_APPEND);
  if (write(regular, bytes, sizeof bytes) != sizeof bytes) fail("write");
  if (lseek(regular, 42, SEEK_SET) != 42) fail("lseek");
  say("directory", directory);
  say("regular", regular);
  say("path", open_at(directory, "regular", O_PATH));
  say("gone", open_at(directory, "gone", O_WRONLY | O_CREAT));
  if (unlinkat(directory, "gone", 0) != 0) fail("unlink");
  say("suffix", open_at(directory, "x (deleted)", O_RDONLY | O_CREAT));
  say("newline", open_at(directory, "new\nline", O_RDONLY | O_CREAT));
  say("invalid", open_at(directory, "bad\xff\xfe", O_RDONLY | O_CREAT));
  if (mkfifoat(directory, "fifo", 0600) != 0) fail("mkfifo");
  say("fifo", open_at(directory, "fifo", O_RDWR));
  say("null", open("/dev/null", O_RDONLY | O_CLOEXEC));
  say("netns", open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  say("ptmx", posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
}

static void hold_events(void) {
  const int events = eventfd(7, EFD_CLOEXEC), poll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event interest = {.events = EPOLLOUT};
  if (poll >= 0 && epoll_ctl(poll, EPOLL_CTL_ADD, events, &interest) != 0) fail("epoll_ctl");
  say("eventfd", events);
  say("epoll", poll);
  const int inotify = inotify_init1(IN_CLOEXEC);
  if (inotify >= 0 && inotify_add_watch(inotify, folder, IN_CREATE) < 0) fail("inotify_add_watch");
  say("inotify", inotify);
  const int fanotify = fanotify_init(FAN_CLOEXEC | FAN_REPORT_FID, 0);
  if (fanotify >= 0 && fanotify_mark(fanotify, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, folder) != 0)
    fail("fanotify_mark");
  say("fanotify", fanotify);
  say("timerfd", timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  say("signalfd", signalfd(-1, &signals, SFD_CLOEXEC));
  struct io_uring_params params = {0};
  say("io_uring", syscall(SYS_io_uring_setup, 4, &params));
  say("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
}

static void map_and_close(int directory) {
  const int fd = open_at(directory, "mapped", O_RDWR | O_CREAT);
  struct stat facts;
  if (ftruncate(fd, 4096) != 0 || fstat(fd, &facts) != 0) fail("mapped");
  if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) fail("mmap");
  close(fd);
  printf(" mapped=%lu", (unsigned long)facts.st_ino);
}

int main(void) {
  die_with_test();
  const struct cleaner cleaner = scratch_make(NULL, folder);
  const pid_t target = fork_child();
  while (target == 0) pause();
  const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fail("%s", folder);
  printf("ready %d folder=%s pidfd-target=%d", getpid(), folder, target);
  map_and_close(directory);
  hold_files(directory);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  say("pipe-read", ends[0]);
  say("pipe-write", ends[1]);
  say("memfd", memfd_create("my memfd", MFD_CLOEXEC));
  say("pidfd", syscall(SYS_pidfd_open, target, 0));
  hold_events();
  putchar('\n');
  if (fflush(stdout) != 0) fail("stdout");
  wait_for_end();
  end_child(target);
  cleaner_end(&cleaner);
  return 0;
}
