// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cplatform.h>

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t cplatform_counter(void) {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return (uint64_t)read_clock(CLOCK_MONOTONIC);
#endif
}

int cplatform_counter_is_stable(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007u, &a, &b, &c, &d)) return 0;
  return (d >> 8) & 1;  // invariant TSC: constant and non-stop
#else
  return 1;
#endif
}

// How far `clock` is ahead of CLOCK_MONOTONIC: both run at one rate between suspends, so the thread
// must not be kept from the processor between the reads.
static int64_t distance(clockid_t clock) {
  int64_t best = 0, width = INT64_MAX;
  for (int i = 0; i < 8; i++) {
    int64_t before = read_clock(CLOCK_MONOTONIC);
    int64_t there = read_clock(clock);
    int64_t after = read_clock(CLOCK_MONOTONIC);
    if (after - before >= width) continue;
    width = after - before;
    best = there - before - width / 2;
  }
  return best;
}

cplatform_clocks cplatform_read_clocks(void) {
  cplatform_clocks best = {.width = UINT64_MAX};
  for (int i = 0; i < 8; i++) {
    uint64_t before = cplatform_counter();
    int64_t monotonic = read_clock(CLOCK_MONOTONIC);
    uint64_t after = cplatform_counter();
    if (after - before < best.width) {
      best.width = after - before;
      best.tick = before + (after - before) / 2;
      best.monotonic = monotonic;
    }
  }
  best.boottime = best.monotonic + distance(CLOCK_BOOTTIME);
  best.real = best.monotonic + distance(CLOCK_REALTIME);
  return best;
}

int64_t cplatform_monotonic(void) { return read_clock(CLOCK_MONOTONIC); }
int64_t cplatform_thread_cpu(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
