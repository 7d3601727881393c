// What every maker shares: it dies with its parent, says one `ready` line when its situation
// stands, and keeps the situation until its standard input closes.
#ifndef MAKER_H
#define MAKER_H

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED_OK __attribute__((unused))

UNUSED_OK __attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char* form,
                                                                             ...) {
  va_list args;
  va_start(args, form);
  vfprintf(stderr, form, args);
  va_end(args);
  fputc('\n', stderr);
  exit(2);
}

// For a system call that failed: what it was, and what errno says.
UNUSED_OK __attribute__((noreturn, format(printf, 1, 2))) static void fail(const char* form, ...) {
  const int error = errno;
  va_list args;
  va_start(args, form);
  vfprintf(stderr, form, args);
  va_end(args);
  fprintf(stderr, ": %s\n", strerror(error));
  exit(1);
}

// `parent` is the pid read before the fork: when it is no longer the parent, it died before the
// signal was asked for and nobody would end this process.
UNUSED_OK static void die_with(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("PR_SET_PDEATHSIG");
  if (getppid() != parent) _exit(1);
}

// For main(): the parent of a maker is the test, alive when it started us.
UNUSED_OK static void die_with_test(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("PR_SET_PDEATHSIG");
}

UNUSED_OK static pid_t fork_child(void) {
  fflush(NULL);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) die_with(parent);
  return pid;
}

UNUSED_OK __attribute__((format(printf, 1, 2))) static void ready(const char* form, ...) {
  va_list args;
  va_start(args, form);
  fputs("ready", stdout);
  if (*form) putchar(' ');
  vprintf(form, args);
  putchar('\n');
  va_end(args);
  if (fflush(stdout) != 0) fail("stdout");
}

UNUSED_OK static void wait_for_end(void) {
  char byte;
  ssize_t n;
  do n = read(STDIN_FILENO, &byte, 1);
  while (n > 0 || (n < 0 && errno == EINTR));
}

// A gate holds the parent until the child says that it stands where it should.
struct gate {
  int ends[2];
};

UNUSED_OK static struct gate gate_make(void) {
  struct gate gate;
  if (pipe(gate.ends) != 0) fail("pipe");
  return gate;
}

UNUSED_OK static void gate_open(const struct gate* gate) {
  if (write(gate->ends[1], "", 1) != 1) _exit(1);
  close(gate->ends[0]);
  close(gate->ends[1]);
}

UNUSED_OK static void gate_wait(const struct gate* gate) {
  char byte;
  close(gate->ends[1]);
  if (read(gate->ends[0], &byte, 1) != 1) {
    refuse("the child did not come up");
  }
  close(gate->ends[0]);
}

UNUSED_OK static void end_child(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

UNUSED_OK static long number(const char* text, long low, long high) {
  char* end = NULL;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < low || value > high) {
    refuse("'%s' is not a number from %ld to %ld", text, low, high);
  }
  return value;
}

// The bytes that a hex string names, NUL-terminated; their number goes to *length.
UNUSED_OK static char* from_hex(const char* hex, size_t* length) {
  const size_t digits = strlen(hex);
  char* bytes = malloc(digits / 2 + 1);
  if (!bytes) fail("malloc");
  for (size_t i = 0; i + 1 < digits; i += 2) {
    const char pair[3] = {hex[i], hex[i + 1], 0};
    char* end = NULL;
    bytes[i / 2] = (char)strtol(pair, &end, 16);
    if (end != pair + 2) break;
    *length = i / 2 + 1;
  }
  if (digits == 0) *length = 0;
  if (digits % 2 != 0 || *length != digits / 2) {
    refuse("'%s' is not hex", hex);
  }
  bytes[*length] = 0;
  return bytes;
}

#endif
