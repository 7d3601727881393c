// lives BASE FILE RATE TOTAL INTERVAL [last=PID|same]: forks TOTAL children, RATE of them each
// second, and writes to FILE what it knows of each. Spans follow from the number of a child and
// from INTERVAL, in microseconds: some end at once, some live shorter than an interval, some about
// one, some many. Some change their name and title on the way, some become another program image,
// some stay zombies for a while. Reuse of pids comes from a small pid_max, or:
//   last=PID  the pids up to PID are given out again and again, through ns_last_pid
//   same      every other child gets the pid of one that ended, through clone3
// Standard input closing ends it early. Lines of FILE; times are nanoseconds of CLOCK_MONOTONIC
// after BASE, 0 where there is none:
//   NUMBER PID STARTKEY BEFORE-FORK AFTER-FORK BEFORE-KILL DEAD REAPED [KIND BEFORE AFTER] ...
// It surely lived from AFTER-FORK to BEFORE-KILL (one that ended by itself has none), had surely
// ended by DEAD and surely had no pid by REAPED. KIND is r for another name and title, x for
// another image. After change C both end in NUMBER.C: the name, and the second of the arguments.
// ready PID, and when all are reaped and FILE is written: done CHILDREN REFUSED-FORKS
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "maker.h"

enum {
  most_changes = 4,
  most_alive = 1024,
  most_ended = 64,
  stack_bytes = 32768,
  start_tick_ns = 10000000
};

struct change {
  int64_t before, after;
};

// Parent and child write different members; the parent reads those of a child that it reaped.
struct life {
  int64_t before_fork, after_fork, before_kill, dead, reaped;
  uint64_t start_key;
  pid_t pid;
  struct change changes[most_changes];
};

// What a child does follows from its number, so that an image after exec can go on with it.
struct plan {
  int64_t span, zombie;
  int changes;
  unsigned images;
};

struct child {
  long index;
  pid_t pid;
  char* stack;
  int64_t kill_at, reap_at;
};

struct ended {
  pid_t pid;
  int64_t born;
};

static const char image_mark[] = "MAKER_LIVES_IMAGE";
static struct life* lives;
static int64_t base, interval;
static long total;
static int file;
static pid_t maker;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec - base;
}

static void sleep_for(int64_t ns) {
  const struct timespec span = {ns / 1000000000, ns % 1000000000};
  nanosleep(&span, NULL);
}

static uint64_t mixed(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static struct plan plan_of(long index) {
  // Shares of all children, and the spans of each in percent of an interval.
  static const struct {
    unsigned below;
    int64_t shortest, longest;
  } kinds[] = {{35, 0, 0}, {55, 10, 90}, {75, 90, 140}, {92, 200, 600}, {100, 800, 8000}};
  const uint64_t dice = mixed((uint64_t)index);
  int kind = 0;
  while (dice % 100 >= kinds[kind].below) kind++;
  const int64_t spread = kinds[kind].longest - kinds[kind].shortest + 1;
  struct plan plan = {0};
  plan.span = (kinds[kind].shortest + (int64_t)(dice >> 8 & 0xffff) % spread) * interval / 100;
  plan.zombie = (dice >> 24 & 7) == 0 ? (int64_t)(1 + (dice >> 27 & 1)) * interval : 0;
  if (plan.span > 0 && (dice >> 32 & 7) == 0) plan.changes = (dice >> 35 & 1) ? most_changes : 1;
  plan.images = (unsigned)(dice >> 40) & 0xf;
  return plan;
}

static void map_lives(void) {
  lives = mmap(NULL, (size_t)total * sizeof *lives, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (lives == MAP_FAILED) fail("mmap");
}

static void set_title(char** argv, const char* name) {
  char* const start = argv[0];
  const char* last = start;
  for (char** argument = argv; *argument; argument++) last = *argument;
  char title[64];
  const int length = snprintf(title, sizeof title, "lives-title%c%s", 0, name);
  memset(start, 0, (size_t)(last - start) + strlen(last));
  memcpy(start, title, (size_t)length);
}

static void become_image(const char* name) {
  char numbers[4][32];
  snprintf(numbers[0], sizeof numbers[0], "%d", file);
  snprintf(numbers[1], sizeof numbers[1], "%ld", total);
  snprintf(numbers[2], sizeof numbers[2], "%lld", (long long)base);
  snprintf(numbers[3], sizeof numbers[3], "%lld", (long long)interval);
  char mark[64];
  snprintf(mark, sizeof mark, "%s=1", image_mark);
  char* const argv[] = {(char*)"lives-image", (char*)name, numbers[0], numbers[1],
                        numbers[2],           numbers[3],  NULL};
  char* const env[] = {mark, NULL};
  execve("/proc/self/exe", argv, env);
  _exit(1);
}

// Lives from its change number `made` on, until the parent kills it.
static void live(long index, int made, char** argv) {
  const struct plan plan = plan_of(index);
  if (plan.span == 0) _exit(0);
  struct change* const changes = lives[index].changes;
  for (int i = made; i < plan.changes; i++) {
    char name[32];
    sleep_for(plan.span / (plan.changes + 1));
    snprintf(name, sizeof name, "%ld.%d", index, i + 1);
    changes[i].before = now();
    if (plan.images & 1U << i) become_image(name);
    prctl(PR_SET_NAME, name);
    set_title(argv, name);
    changes[i].after = now();
  }
  for (;;) pause();
}

static int image(int argc, char** argv) {
  long index = 0;
  int change = 0;
  if (argc != 6 || sscanf(argv[1], "%ld.%d", &index, &change) != 2) return 2;
  file = (int)number(argv[2], 0, 1 << 20);
  total = number(argv[3], 1, INT32_MAX);
  base = number(argv[4], 0, INT64_MAX);
  interval = number(argv[5], 1, INT64_MAX);
  map_lives();
  prctl(PR_SET_NAME, argv[1]);
  lives[index].changes[change - 1].after = now();
  live(index, change, argv);
  return 0;
}

// Field 22 of stat. The pid is this program's until it waits for it, whatever the child does.
static uint64_t start_key_of(pid_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int stat = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = stat < 0 ? -1 : read(stat, text, sizeof text - 1);
  if (n <= 0) fail("%s", path);
  close(stat);
  text[n] = 0;
  const char* at = strrchr(text, ')');
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  if (!at) refuse("%s ends early", path);
  return strtoull(at, NULL, 10);
}

static struct ended ended[most_ended];
static int ended_count;

// A pid that was free a moment ago. Its last owner started in another clock tick than the next one
// will, or no start key could tell the two apart.
static pid_t take_ended(void) {
  for (int i = 0; i < ended_count; i++) {
    if (now() - ended[i].born < 3 * start_tick_ns) continue;
    const pid_t pid = ended[i].pid;
    ended[i] = ended[--ended_count];
    return pid;
  }
  return 0;
}

static int begin(void* number) {
  const long index = (long)(intptr_t)number;
  die_with(maker);
  live(index, 0, NULL);
  return 0;
}

static pid_t fork_with_pid(long index, pid_t wanted, char** argv) {
  struct clone_args args = {.exit_signal = SIGCHLD};
  if (wanted > 0) {
    args.set_tid = (uintptr_t)&wanted;
    args.set_tid_size = 1;
  }
  const pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
  if (pid != 0) return pid;
  die_with(maker);
  live(index, 0, argv);
  _exit(1);
}

// A child that shares this program's memory costs a tenth of a fork, so that high rates can be had.
// One that writes a title needs memory of its own.
static pid_t start_process(long index, pid_t wanted, char* stack, char** argv) {
  const struct plan plan = plan_of(index);
  const int writes = plan.changes > 0 && !(plan.images & 1);
  if (writes || wanted > 0) return fork_with_pid(index, wanted, argv);
  return clone(begin, stack + stack_bytes, CLONE_VM | SIGCHLD, (void*)(intptr_t)index);
}

// -1 where the system has no pid or no memory for it now.
static pid_t start_child(long index, int same, char* stack, char** argv) {
  struct life* const life = &lives[index];
  life->before_fork = now();
  pid_t pid = start_process(index, same && index % 2 ? take_ended() : 0, stack, argv);
  // Somebody else's process may have got the pid in between.
  if (pid < 0 && errno == EEXIST) pid = start_process(index, 0, stack, argv);
  if (pid < 0) {
    if (errno != EAGAIN && errno != ENOMEM) fail("clone");
    return -1;
  }
  life->after_fork = now();
  life->pid = pid;
  life->start_key = start_key_of(pid);
  return pid;
}

static void keep_pids_low(pid_t pid, pid_t last) {
  static const char path[] = "/proc/sys/kernel/ns_last_pid";
  if (last == 0 || pid < last) return;
  const int to = open(path, O_WRONLY | O_CLOEXEC);
  if (to < 0 || write(to, "300", 3) != 3) fail("%s", path);
  close(to);
}

// Kills, notices the end, reaps, each at its time. Answers whether the child is reaped.
static int attend(struct child* child) {
  struct life* const life = &lives[child->index];
  if (child->kill_at > 0) {
    if (now() < child->kill_at) return 0;
    life->before_kill = now();
    kill(child->pid, SIGKILL);
    child->kill_at = 0;
  }
  if (life->dead == 0) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) fail("waitid");
    if (info.si_pid == 0) return 0;
    if (life->before_kill > 0 && info.si_status != SIGKILL)
      refuse("child %ld ended by itself: %d", child->index, info.si_status);
    life->dead = now();
    child->reap_at = life->dead + plan_of(child->index).zombie;
  }
  if (now() < child->reap_at) return 0;
  if (waitpid(child->pid, NULL, 0) != child->pid) fail("waitpid");
  life->reaped = now();
  if (ended_count < most_ended) ended[ended_count++] = (struct ended){child->pid, life->after_fork};
  return 1;
}

static void write_ledger(const char* path, long count) {
  FILE* const to = fopen(path, "we");
  if (!to) fail("%s", path);
  for (long i = 0; i < count; i++) {
    const struct life* const life = &lives[i];
    const struct plan plan = plan_of(i);
    fprintf(to, "%ld %d %llu %lld %lld %lld %lld %lld", i, life->pid,
            (unsigned long long)life->start_key, (long long)life->before_fork,
            (long long)life->after_fork, (long long)life->before_kill, (long long)life->dead,
            (long long)life->reaped);
    for (int c = 0; c < plan.changes && life->changes[c].before > 0; c++)
      fprintf(to, " %c %lld %lld", plan.images & 1U << c ? 'x' : 'r',
              (long long)life->changes[c].before, (long long)life->changes[c].after);
    fputc('\n', to);
  }
  if (fclose(to) != 0) fail("%s", path);
}

static int input_closed(void) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  char bytes[64];
  return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, bytes, sizeof bytes) <= 0;
}

static struct child alive[most_alive];
static long alive_count;
static char* stacks[most_alive];

static void make_stacks(void) {
  const size_t bytes = (size_t)most_alive * stack_bytes;
  char* const all =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) fail("mmap");
  for (int i = 0; i < most_alive; i++) stacks[i] = all + (size_t)i * stack_bytes;
}

// The stacks that are in use are those of alive[]; the rest is at the end of stacks[].
static void attend_all(int closing) {
  for (long i = 0; i < alive_count;) {
    if (closing && alive[i].kill_at > 0) alive[i].kill_at = 1;
    if (!attend(&alive[i])) {
      i++;
      continue;
    }
    stacks[--alive_count] = alive[i].stack;
    alive[i] = alive[alive_count];
  }
}

static long run(long rate, int same, pid_t last, char** argv, long* refused) {
  const int64_t first = now();
  long started = 0;
  for (int closing = 0; alive_count > 0 || (started < total && !closing);) {
    const int64_t due = first + started * INT64_C(1000000000) / rate;
    attend_all(closing);
    if (closing || started == total || alive_count == most_alive || now() < due) {
      sleep_for(100000);
      closing = closing || input_closed();
      continue;
    }
    char* const stack = stacks[alive_count];
    const pid_t pid = start_child(started, same, stack, argv);
    if (pid < 0) {
      ++*refused;
      sleep_for(100000);
      continue;
    }
    const int64_t span = plan_of(started).span;
    alive[alive_count++] = (struct child){started, pid, stack, span > 0 ? now() + span : 0, 0};
    keep_pids_low(pid, last);
    started++;
  }
  return started;
}

int main(int argc, char** argv) {
  if (getenv(image_mark)) return image(argc, argv);
  die_with_test();
  if (argc != 6 && argc != 7) refuse("usage: lives BASE FILE RATE TOTAL INTERVAL [last=PID|same]");
  // Titles are written over the arguments, so what they say is taken before.
  base = number(argv[1], 0, INT64_MAX);
  const char* const path = strdup(argv[2]);
  const long rate = number(argv[3], 1, 100000);
  total = number(argv[4], 1, 10000000);
  interval = number(argv[5], 1, 10000000) * 1000;
  const char* const reuse = argc > 6 ? argv[6] : "";
  const pid_t last = strncmp(reuse, "last=", 5) == 0 ? (pid_t)number(reuse + 5, 301, INT32_MAX) : 0;
  file = memfd_create("lives", 0);
  if (!path || file < 0 || ftruncate(file, (off_t)((size_t)total * sizeof *lives)) != 0)
    fail("memfd_create");
  map_lives();
  make_stacks();
  maker = getpid();
  ready("%d", getpid());
  long refused = 0;
  const long started = run(rate, strcmp(reuse, "same") == 0, last, argv, &refused);
  write_ledger(path, started);
  printf("done %ld %ld\n", started, refused);
  fflush(stdout);
  wait_for_end();
  return 0;
}
