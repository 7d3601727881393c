// spin WORK ...: does a known amount of work, then waits; each line on standard input does it
// again.
//   cpu user|system MS   burns MS milliseconds of that CPU time
//   mem MIB              allocates MIB MiB and touches every page; what it has stays
//   io BYTES             writes BYTES to a temporary file and syncs it
//   threads N MS         N threads burn MS milliseconds each and then stay
//   forks K MS           K children, one after the other, burn MS milliseconds each and are reaped
// ready PID utime=US stime=US cutime=US cstime=US minflt=N majflt=N oublock=N nvcsw=N nivcsw=N, all
// since the start and as getrusage has them; after more work: done PID ... in the same way
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "maker.h"

enum { chunk = 65536 };

static long first, second;

static long microseconds(struct timeval time) { return time.tv_sec * 1000000L + time.tv_usec; }

static struct rusage usage(int who) {
  struct rusage used;
  if (getrusage(who, &used) != 0) fail("getrusage");
  return used;
}

// CPU time of this thread, of both kinds, in microseconds.
static long thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

static void compute(void) {
  for (volatile long i = 0; i < 100000; i++) {
  }
}

static void burn_thread(long ms) {
  const long end = thread_time() + ms * 1000;
  while (thread_time() < end) compute();
}

static void burn_user(void) {
  const long end = microseconds(usage(RUSAGE_SELF).ru_utime) + first * 1000;
  while (microseconds(usage(RUSAGE_SELF).ru_utime) < end) compute();
}

static void burn_system(void) {
  static char zeros[chunk];
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  const long end = microseconds(usage(RUSAGE_SELF).ru_stime) + first * 1000;
  while (microseconds(usage(RUSAGE_SELF).ru_stime) < end)
    for (int i = 0; i < 16; i++)
      if (read(zero, zeros, sizeof zeros) != sizeof zeros) fail("/dev/zero");
  close(zero);
}

static void fill_memory(void) {
  const size_t bytes = (size_t)first << 20;
  char* const memory = malloc(bytes);
  if (!memory) fail("malloc");
  // Through a volatile pointer, for nobody reads what is written.
  for (volatile char* byte = memory; byte < memory + bytes; byte += 4096) *byte = 1;
}

// A file without a name: nothing of it can be left behind.
static void write_file(void) {
  static char bytes[chunk];
  const char* const temporary = getenv("TMPDIR");
  const int file = open(temporary ? temporary : "/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) fail("a temporary file");
  for (long left = first; left > 0;) {
    const size_t now = left < chunk ? (size_t)left : chunk;
    if (write(file, bytes, now) != (ssize_t)now) fail("write");
    left -= (long)now;
  }
  if (fsync(file) != 0) fail("fsync");
  close(file);
}

static void* burn_and_stay(void* done) {
  burn_thread(second);
  pthread_barrier_wait(done);
  for (;;) pause();
  return NULL;
}

static void run_threads(void) {
  pthread_barrier_t done;
  pthread_barrier_init(&done, NULL, (unsigned)first + 1);
  for (long i = 0; i < first; i++) {
    pthread_t thread;
    errno = pthread_create(&thread, NULL, burn_and_stay, &done);
    if (errno) fail("pthread_create");
  }
  pthread_barrier_wait(&done);
  pthread_barrier_destroy(&done);
}

static void run_children(void) {
  for (long i = 0; i < first; i++) {
    const pid_t pid = fork_child();
    if (pid == 0) {
      burn_thread(second);
      _exit(0);
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
}

static void say(const char* word) {
  const struct rusage own = usage(RUSAGE_SELF), children = usage(RUSAGE_CHILDREN);
  printf("%s %d utime=%ld stime=%ld", word, getpid(), microseconds(own.ru_utime),
         microseconds(own.ru_stime));
  printf(" cutime=%ld cstime=%ld", microseconds(children.ru_utime),
         microseconds(children.ru_stime));
  printf(" minflt=%ld majflt=%ld oublock=%ld", own.ru_minflt, own.ru_majflt, own.ru_oublock);
  printf(" nvcsw=%ld nivcsw=%ld\n", own.ru_nvcsw, own.ru_nivcsw);
  if (fflush(stdout) != 0) fail("stdout");
}

static void (*work_of(int argc, char** argv))(void) {
  const char* const name = argc > 2 ? argv[1] : "";
  const int is_cpu = strcmp(name, "cpu") == 0;
  const int has_two = strcmp(name, "threads") == 0 || strcmp(name, "forks") == 0;
  if (argc != (is_cpu || has_two ? 4 : 3)) refuse("usage: spin cpu|mem|io|threads|forks ...");
  first = number(argv[is_cpu ? 3 : 2], 1, 1L << 32);
  if (has_two) second = number(argv[3], 1, 1 << 20);
  if (is_cpu && strcmp(argv[2], "user") == 0) return burn_user;
  if (is_cpu && strcmp(argv[2], "system") == 0) return burn_system;
  if (strcmp(name, "threads") == 0) return run_threads;
  if (strcmp(name, "forks") == 0) return run_children;
  if (strcmp(name, "mem") == 0) return fill_memory;
  if (strcmp(name, "io") == 0) return write_file;
  refuse("no work is called '%s'", name);
}

int main(int argc, char** argv) {
  die_with_test();
  void (*const work)(void) = work_of(argc, argv);
  work();
  say("ready");
  for (char line[64]; fgets(line, sizeof line, stdin); say("done")) work();
  return 0;
}
