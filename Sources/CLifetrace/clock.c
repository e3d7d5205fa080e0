// SPDX-License-Identifier: Apache-2.0
//
// The clocks of an event, of CPU time, and the hybrid logical clock of messages.

#define _GNU_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#if !defined(CLOCK_REALTIME_COARSE)
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME
#endif

uint64_t lt_clock_ns(int clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t lt_tick(void) {
  return lt_this_process()->clock_kind == LT_CLOCK_COUNTER ? lt_counter()
                                                           : lt_clock_ns(CLOCK_MONOTONIC);
}

// Everything before it in the program has happened, nothing after it has begun.
static inline void serialise(void) {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

uint64_t lt_tick_ordered(void) {
  serialise();
  uint64_t tick = lt_tick();
  serialise();
  return tick;
}

uint64_t lt_monotonic_ns(void) {
  return lt_tls.sink ? lt_sink_now_ns(lt_tls.sink) : lt_clock_ns(CLOCK_MONOTONIC);
}

uint64_t lt_thread_cpu_ns(void) {
  return lt_tls.sink ? 0 : lt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t lt_process_cpu_ns(void) {
  return lt_tls.sink ? 0 : lt_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t lt_memory_bytes(void) {
  if (lt_tls.sink) return 0;
  char text[128];
  lt_shield();
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  lt_unshield();
  if (count <= 0) return 0;
  text[count] = 0;
  unsigned long long size = 0, resident = 0;
  if (sscanf(text, "%llu %llu", &size, &resident) != 2) return 0;
  return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

// One clock a process. A simulated thread's physical part is its virtual time.
static _Atomic uint64_t hlc;

static uint64_t hlc_advance(uint64_t at_least) {
  uint64_t physical = lt_tls.sink ? lt_sink_now_ns(lt_tls.sink) : lt_clock_ns(CLOCK_REALTIME_COARSE);
  physical &= ~0xffffull;
  _Atomic uint64_t *clock = lt_tls.sink ? lt_sink_hlc(lt_tls.sink) : &hlc;
  uint64_t last = atomic_load_explicit(clock, memory_order_relaxed);
  uint64_t next;
  do {
    next = last > at_least ? last : at_least;
    next = physical > next ? physical : next + 1;
  } while (!atomic_compare_exchange_weak_explicit(clock, &last, next, memory_order_relaxed,
                                                  memory_order_relaxed));
  return next;
}

uint64_t lt_hlc_send(void) { return hlc_advance(0); }

// A stamp from more than an hour ahead is a broken clock or a lie: it does not move ours.
uint64_t lt_hlc_receive(uint64_t stamp) {
  uint64_t now = lt_hlc_send();
  const uint64_t believable_ns = 3600ull * 1000000000u;
  return stamp > now + believable_ns ? now : hlc_advance(stamp);
}

uint64_t lt_flow(void) {
  uint64_t high = 0, low = 0;
  if (lt_tls.sink == NULL) lt_writer(&high, &low);
  uint64_t mixed = low + lt_next_id() * 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
  return (mixed ^ mixed >> 31) | 1;
}
