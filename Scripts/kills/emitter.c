// SPDX-License-Identifier: Apache-2.0
// emitter LEDGER THREADS EVENTS PAUSE_US SEED: each thread emits marks numbered from 0 and, after each,
// notes in a shared mapped file how many it has emitted: what the trace must account for.
#define _GNU_SOURCE
#include "lifetrace.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
struct lane { _Atomic uint64_t started, done, pad[6]; };
static struct lane *lanes;
static long events, pause_us;
static uint32_t site;
static void *run(void *argument) {
  long t = (long)argument;
  unsigned seed = (unsigned)t * 7919 + 1;
  char text[48];
  for (long i = 0; i < events; i++) {
    uint32_t name = 0;
    if (i % 97 == 0) { snprintf(text, sizeof text, "n-%ld-%ld", t, i); name = lt_name(text); }
    atomic_store(&lanes[t + 1].started, i + 1);
    lt_emit(LT_KIND_MARK, site, 0, 4, t, i, name, ((uint64_t)rand_r(&seed) << 31) ^ rand_r(&seed));
    atomic_store(&lanes[t + 1].done, i + 1);
    if (pause_us && rand_r(&seed) % 256 == 0) usleep(pause_us);
  }
  return 0;
}
int main(int count, char **words) {
  if (count < 5) return 64;
  int threads = atoi(words[2]);
  events = atol(words[3]); pause_us = atol(words[4]);
  int file = open(words[1], O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096)) return 9;
  lanes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  LT_CONFIGURE("emitter", LT_ROLE_APP, "t", "1");
  site = lt_site("n", "emitter.c", 1, "t:int,i:int,s:name,r:int");
  lanes[0].pad[0] = lt_join();
  lanes[0].pad[1] = getpid();
  atomic_store(&lanes[0].started, 1);
  pthread_t all[32];
  for (long t = 0; t < threads; t++) pthread_create(&all[t], 0, run, (void *)t);
  for (int t = 0; t < threads; t++) pthread_join(all[t], 0);
  atomic_store(&lanes[0].done, 1);
  return 0;
}
