// What the C trials measure with.
#pragma once

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

/// CPU time in milliseconds, user and system, with that of children that were waited for.
static inline double cpu_ms(void) {
  double sum = 0;
  const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
  for (int i = 0; i < 2; i++) {
    struct rusage usage;
    getrusage(whose[i], &usage);
    sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3;
    sum += (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
  }
  return sum;
}

static inline double wall_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void print_times(double first, const double* wall, int repetitions) {
  printf("\"firstMs\":%.6f,\"wallMs\":[", first);
  for (int i = 0; i < repetitions; i++) printf("%s%.6f", i ? "," : "", wall[i]);
  puts("]}");
}
