// SPDX-License-Identifier: Apache-2.0
//
// LTTng-UST emits what `Benchmarks emit` emits: an event with three integers, in a tight loop.
// Prints the median nanoseconds an event, and of one read of the counter beside it.

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_peer_tp.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { rounds = 101, events = 10000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

static void emit(void) {
  for (uint64_t index = 0; index < events; index++) {
    lttng_ust_tracepoint(lifetrace_peer, tick, index, 64, index + 1);
  }
}

static void read_counter(void) {
  uint64_t sum = 0;
  for (int index = 0; index < events; index++) sum += __rdtsc();
  __asm__ volatile("" : : "r"(sum));
}

int main(void) {
  static double emitted[rounds], counted[rounds];
  emit();
  for (int round = 0; round < rounds; round++) {
    double start = now();
    emit();
    double middle = now();
    read_counter();
    emitted[round] = (middle - start) / events;
    counted[round] = (now() - middle) / events;
  }
  qsort(emitted, rounds, sizeof *emitted, by_size);
  qsort(counted, rounds, sizeof *counted, by_size);
  printf("%.1f %.1f %d\n", emitted[rounds / 2], counted[rounds / 2], (rounds + 1) * events);
  return 0;
}
