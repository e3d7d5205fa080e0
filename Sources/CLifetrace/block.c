// SPDX-License-Identifier: Apache-2.0
//
// Which block a thread fills: claimed here, returned when it is full or the thread ends.

#define _GNU_SOURCE
#include "internal.h"

#include <time.h>
#include <unistd.h>

static pthread_key_t thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

// Runs at the end of a thread; another destructor may emit later, then it runs again.
static void thread_ended(void *thread) {
  lt_thread *ended = thread;
  if (ended->epoch == lt_control_value()) lt_block_return(ended);
  ended->next = ended->end = ended->limit = NULL;
  ended->registered = false;
}

static void make_thread_end_key(void) { pthread_key_create(&thread_end_key, thread_ended); }

void lt_thread_reset(lt_thread *thread, uint64_t epoch) {
  thread->next = thread->end = thread->limit = NULL;
  thread->block = NULL;
  thread->last_eighth = false;
  thread->retry_tick = 0;
  thread->epoch = epoch;
}

void lt_block_return(lt_thread *thread) {
  if (thread->block == NULL) return;
  atomic_store_explicit(&thread->block->state, LT_BLOCK_CLOSED, memory_order_release);
  thread->block = NULL;
  thread->next = thread->end = thread->limit = NULL;
  thread->last_eighth = false;
}

// A block is free again when everything in it stands in a written chunk.
static bool take(lt_block *block) {
  uint32_t state = atomic_load_explicit(&block->state, memory_order_acquire);
  if (state == LT_BLOCK_OPEN) return false;
  if (state == LT_BLOCK_CLOSED &&
      atomic_load_explicit(&block->consumed, memory_order_acquire) !=
          atomic_load_explicit(&block->committed, memory_order_acquire)) {
    return false;
  }
  return atomic_compare_exchange_strong(&block->state, &state, LT_BLOCK_OPEN);
}

static lt_block *find(uint32_t from, uint32_t to, _Atomic uint32_t *cursor) {
  if (from >= to) return NULL;
  uint32_t start = cursor ? atomic_load_explicit(cursor, memory_order_relaxed) : from;
  if (start < from || start >= to) start = from;
  for (uint32_t index = start;;) {
    uint32_t next = index + 1 == to ? from : index + 1;
    if (take(lt_block_at(index))) {
      if (cursor) atomic_store_explicit(cursor, next, memory_order_relaxed);
      return lt_block_at(index);
    }
    index = next;
    if (index == start) return NULL;
  }
}

// Everything but the wait: searches, and has the pool grow while it may.
static lt_block *find_or_grow(bool goes_on, bool *last_eighth) {
  lt_process *process = lt_this_process();
  for (;;) {
    uint32_t limit = atomic_load_explicit(&process->blocks_limit, memory_order_acquire);
    uint32_t ready = atomic_load_explicit(&process->pool->blocks_ready, memory_order_acquire);
    uint32_t ordinary = lt_ordinary_blocks(limit);
    *last_eighth = false;
    lt_block *block = find(0, ready < ordinary ? ready : ordinary, &process->cursor);
    if (block == NULL && goes_on && ready >= ordinary) {
      *last_eighth = true;
      block = find(ordinary, ready, NULL);
    }
    if (block != NULL) return block;
    if (ready >= (goes_on ? limit : ordinary)) return NULL;
    // False when it could not grow: then the limit is lower now, and the loop ends.
    lt_pool_grow(ready);
  }
}

// Waits while somebody drains: the heartbeat has moved within half a second.
static lt_block *wait_for_block(bool goes_on, bool *last_eighth) {
  const lt_session *session = lt_this_process()->session;
  const uint64_t stale_ns = 500000000;
  uint64_t start = lt_clock_ns(CLOCK_MONOTONIC);
  uint64_t beat_seen = start;
  uint64_t beat = atomic_load_explicit(&session->heartbeat_tick, memory_order_relaxed);
  for (;;) {
    nanosleep(&(struct timespec){0, 100000}, NULL);
    lt_block *block = find_or_grow(goes_on, last_eighth);
    if (block != NULL) return block;
    uint64_t now = lt_clock_ns(CLOCK_MONOTONIC);
    uint64_t latest = atomic_load_explicit(&session->heartbeat_tick, memory_order_relaxed);
    if (latest != beat) {
      beat = latest;
      beat_seen = now;
    }
    if (now - start >= session->block_timeout_ns || now - beat_seen >= stale_ns) return NULL;
  }
}

bool lt_block_claim(lt_thread *thread, bool goes_on) {
  lt_process *process = lt_this_process();
  bool last_eighth = false;
  lt_block *block = find_or_grow(goes_on, &last_eighth);
  if (block == NULL && process->session->on_full == LT_ON_FULL_BLOCK) {
    block = wait_for_block(goes_on, &last_eighth);
  }
  // In the last eighth a thread keeps its block for the next event that goes on.
  if (block == NULL) return false;
  lt_block_return(thread);

  pid_t id = gettid();
  atomic_store_explicit(&block->committed, 0, memory_order_relaxed);
  atomic_store_explicit(&block->consumed, 0, memory_order_relaxed);
  atomic_store_explicit(&block->thread, id == getpid() ? 0 : (uint32_t)id, memory_order_relaxed);
  uint64_t serial = 1 + atomic_fetch_add_explicit(&process->pool->next_serial, 1,
                                                  memory_order_relaxed);
  // A reader that sees a record of this claim sees its serial too.
  atomic_store_explicit(&block->serial, serial, memory_order_release);

  thread->block = block;
  thread->next = block->records;
  thread->limit = block->records + LT_BLOCK_RECORDS;
  thread->last_eighth = last_eighth;
  if (!thread->registered) {
    pthread_once(&thread_end_once, make_thread_end_key);
    thread->registered = pthread_setspecific(thread_end_key, thread) == 0;
  }
  return true;
}
