// SPDX-License-Identifier: Apache-2.0
//
// Threads that count until they are killed, each telling in a shared file how far its emits have
// returned. What the file says is committed; the trace must hold it or count it as lost.

#include "emitter.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct counter {
  _Alignas(64) _Atomic uint64_t returned;
  uint64_t identity, count, pause;
} counter;

static void *counting_thread(void *argument) {
  counter *counter = argument;
  uint32_t site = LT_SITE("number");
  for (uint64_t number = 0; counter->count == 0 || number < counter->count; number++) {
    lt_emit(LT_KIND_DATA_DIRTY, site, counter->identity, 1, number, 0, 0, 0);
    // Off means that there was no session to join any more: nothing was promised.
    if (lt_enabled()) {
      atomic_store_explicit(&counter->returned, number + 1, memory_order_release);
    }
    if (counter->pause != 0 && number % 64 == 0) usleep((useconds_t)counter->pause);
  }
  return NULL;
}

int progress_story(const char *path, uint64_t threads, uint64_t count, uint64_t pause) {
  int file = open(path, O_RDWR | O_CREAT, 0600);
  size_t bytes = 64 * sizeof(counter);
  if (file < 0 || threads > 64 || ftruncate(file, (off_t)bytes) != 0) return 3;
  counter *counters = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counters == MAP_FAILED) return 3;
  pthread_t ids[64];
  for (uint64_t at = 0; at < threads; at++) {
    counters[at].identity = 0;
    counters[at].count = count;
    counters[at].pause = pause;
    if (pthread_create(&ids[at], NULL, counting_thread, &counters[at]) != 0) return 3;
  }
  for (uint64_t at = 0; at < threads; at++) pthread_join(ids[at], NULL);
  return 0;
}
