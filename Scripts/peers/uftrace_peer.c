// SPDX-License-Identifier: Apache-2.0
//
// A million calls of a small function, for uftrace to trace: each is two records.
// Prints the nanoseconds a call.

#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { calls = 1000000 };

static volatile uint64_t sum;

__attribute__((noinline)) void work(uint64_t index, uint64_t size, uint64_t next) {
  sum += index + size + next;
}

__attribute__((no_instrument_function)) static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  double start = now();
  for (uint64_t index = 0; index < calls; index++) work(index, 64, index + 1);
  printf("%.1f %d\n", (now() - start) / calls, calls);
  return 0;
}
