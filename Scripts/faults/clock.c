// SPDX-License-Identifier: Apache-2.0
//
// Stands before the C library (LD_PRELOAD) and steps the clock of the day of its process by the seconds that
// stand as an int64_t in the file LT_CLOCK, which may change at any time. Waits by that clock last as long as
// they would by the true one; the monotonic clock is the machine's.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *stepped;

__attribute__((constructor)) static void map_clock(void) {
  const char *path = getenv("LT_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *stepped, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) stepped = page;
}

static int64_t seconds(void) { return stepped ? atomic_load(stepped) : 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += seconds();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int result = (int)syscall(SYS_gettimeofday, time, zone);
  if (result == 0) time->tv_sec += seconds();
  return result;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}

int pthread_cond_timedwait(
  pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
  // Which clock a condition goes by its attributes do not tell again: no machine has been up for thirty years.
  if (until->tv_sec < 1000000000) return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, until);
  struct timespec true_until = {until->tv_sec - seconds(), until->tv_nsec};
  return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &true_until);
}
