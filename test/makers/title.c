// title [ARG ...]: a process that writes over its own argument area, as setproctitle does. Each
// line `set HEX` on standard input puts the bytes at the start of the area and NULs after them;
// what does not fit into the arguments runs on into the environment. A line `count US` makes it
// call itself 1, 2, 3 and so on, by title and by name, one every US microseconds, until the next
// line. ready PID BYTES-OF-ARGUMENTS BYTES-OF-ARGUMENTS-AND-ENVIRONMENT, and after each command:
// set BYTES, or counting, and then for the line that ended it: counted LAST-NUMBER
#include <poll.h>
#include <time.h>

#include "maker.h"

extern char** environ;

// Answers the last number, when there is something to read.
static long count_up(long us, char* start, size_t room) {
  const struct timespec pause = {.tv_nsec = us * 1000};
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  long count = 0;
  while (poll(&in, 1, 0) == 0) {
    char title[24];
    snprintf(title, sizeof title, "%ld", ++count);
    prctl(PR_SET_NAME, title);
    strncpy(start, title, room - 1);
    nanosleep(&pause, NULL);
  }
  return count;
}

int main(int argc, char** argv) {
  die_with_test();
  if (argc < 1) refuse("no argument area");
  char* const start = argv[0];
  char* const arguments_end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;
  char* end = arguments_end;
  for (char** entry = environ; *entry && *entry == end; entry++) end += strlen(*entry) + 1;
  const size_t room = (size_t)(end - start), arguments = (size_t)(arguments_end - start);
  ready("%d %zu %zu", getpid(), arguments, room);

  char* line = NULL;
  size_t capacity = 0;
  for (ssize_t n; (n = getline(&line, &capacity, stdin)) > 0;) {
    if (line[n - 1] == '\n') line[n - 1] = 0;
    if (strncmp(line, "count ", 6) == 0) {
      puts("counting");
      fflush(stdout);
      const long count = count_up(number(line + 6, 1, 999999), start, arguments);
      if (getline(&line, &capacity, stdin) > 0) printf("counted %ld\n", count);
      fflush(stdout);
      continue;
    }
    if (strncmp(line, "set ", 4) != 0) refuse("unknown command '%s'", line);
    size_t length = 0;
    char* const title = from_hex(line + 4, &length);
    if (length > room) length = room;
    // A title within the arguments leaves the environment alone, as the real ones do.
    memset(start, 0, length > arguments ? room : arguments);
    memcpy(start, title, length);
    free(title);
    printf("set %zu\n", length);
    fflush(stdout);
  }
  free(line);
  return 0;
}
