// SPDX-License-Identifier: Apache-2.0
//
// Which block a thread fills: claimed here, returned when it is full or the thread ends.

#if defined(__linux__)
#define _GNU_SOURCE
#include "internal.h"

#include <time.h>
#include <unistd.h>

static pthread_key_t thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

// Leaves the rest of a block to a thread to come. It stays open meanwhile.
static bool park(lt_thread *thread) {
  enum { worth_records = 32 };
  if (thread->block == NULL || thread->last_eighth) return false;
  if (thread->limit - thread->next < worth_records) return false;
  lt_process *process = lt_this_process();
  uint32_t index = (uint32_t)(((uint8_t *)thread->block - process->blocks) / LT_BLOCK_BYTES);
  for (size_t at = 0; at < sizeof process->parked / sizeof *process->parked; at++) {
    uint32_t none = 0;
    if (atomic_compare_exchange_strong(&process->parked[at], &none, index + 1)) return true;
  }
  return false;
}

static lt_block *unpark(void) {
  lt_process *process = lt_this_process();
  for (size_t at = 0; at < sizeof process->parked / sizeof *process->parked; at++) {
    if (atomic_load_explicit(&process->parked[at], memory_order_relaxed) == 0) continue;
    uint32_t index = atomic_exchange(&process->parked[at], 0);
    if (index != 0) return lt_block_at(index - 1);
  }
  return NULL;
}

// Runs at the end of a thread; another destructor may emit later, then it runs again.
static void thread_ended(void *thread) {
  lt_thread *ended = thread;
  if (ended->epoch == lt_control_value() && !park(ended)) lt_block_return(ended);
  ended->block = NULL;
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

// Whether everything in a closed block stands in a written chunk.
static bool is_written(const lt_block *block) {
  return atomic_load_explicit(&block->consumed, memory_order_acquire) ==
         atomic_load_explicit(&block->committed, memory_order_acquire);
}

// A block is free again when it is closed and written.
static bool take(lt_block *block) {
  uint32_t state = atomic_load_explicit(&block->state, memory_order_acquire);
  if (state == LT_BLOCK_OPEN || (state == LT_BLOCK_CLOSED && !is_written(block))) return false;
  if (!atomic_compare_exchange_strong(&block->state, &state, LT_BLOCK_OPEN)) return false;
  // Since the look another thread may have claimed it, filled it and closed it again.
  if (state == LT_BLOCK_FREE || is_written(block)) return true;
  atomic_store_explicit(&block->state, LT_BLOCK_CLOSED, memory_order_release);
  return false;
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

// Everything but the wait: searches, and has the pool grow while it may. It keeps back the last
// eighth of the blocks that exist, so that some are left when the file system has no more.
static lt_block *find_or_grow(bool goes_on, bool *last_eighth) {
  lt_process *process = lt_this_process();
  *last_eighth = false;
  for (;;) {
    uint32_t ready = atomic_load_explicit(&process->pool->blocks_ready, memory_order_acquire);
    uint32_t ordinary = lt_ordinary_blocks(ready);
    lt_block *block = find(0, ordinary, &process->cursor);
    if (block != NULL) return block;
    // False when it could not grow: then the limit is lower now, and this is tried no more.
    uint32_t limit = atomic_load_explicit(&process->blocks_limit, memory_order_acquire);
    if (ready < limit && lt_pool_grow(ready)) continue;
    if (!goes_on) return NULL;
    *last_eighth = true;
    return find(ordinary, ready, NULL);
  }
}

// Waits while a recorder drains. A recorder whose heartbeat stood still for two seconds is not
// waited for again until it beats.
static lt_block *wait_for_block(bool goes_on, bool *last_eighth) {
  const uint64_t stale_ns = 2000000000;
  lt_process *process = lt_this_process();
  const lt_session *session = process->session;
  uint64_t start = lt_clock_ns(CLOCK_MONOTONIC);
  uint64_t beat_seen = start;
  uint64_t beat = atomic_load_explicit(&session->heartbeat_tick, memory_order_relaxed);
  while (atomic_load_explicit(&process->stale_beat, memory_order_relaxed) != beat + 1) {
    nanosleep(&(struct timespec){0, 100000}, NULL);
    lt_block *block = find_or_grow(goes_on, last_eighth);
    if (block != NULL) return block;
    uint64_t now = lt_clock_ns(CLOCK_MONOTONIC);
    uint64_t latest = atomic_load_explicit(&session->heartbeat_tick, memory_order_relaxed);
    if (latest != beat) {
      beat = latest;
      beat_seen = now;
    }
    if (now - start >= session->block_timeout_ns) break;
    if (now - beat_seen >= stale_ns) {
      atomic_store_explicit(&process->stale_beat, beat + 1, memory_order_relaxed);
    }
  }
  return NULL;
}

static uint32_t own_thread(void) {
  pid_t id = gettid();
  return id == getpid() ? 0 : (uint32_t)id;
}

static void begin(lt_thread *thread, lt_block *block, uint64_t position) {
  thread->block = block;
  thread->next = block->records + position;
  thread->limit = block->records + LT_BLOCK_RECORDS;
  if (!thread->registered) {
    pthread_once(&thread_end_once, make_thread_end_key);
    thread->registered = pthread_setspecific(thread_end_key, thread) == 0;
  }
}

// The block as if it had never been used.
static void begin_anew(lt_thread *thread, lt_block *block) {
  atomic_store_explicit(&block->committed, 0, memory_order_relaxed);
  atomic_store_explicit(&block->consumed, 0, memory_order_relaxed);
  atomic_store_explicit(&block->thread, own_thread(), memory_order_relaxed);
  uint64_t serial = 1 + atomic_fetch_add_explicit(&lt_this_process()->pool->next_serial, 1,
                                                  memory_order_relaxed);
  // A reader that sees a record of this claim sees its serial too.
  atomic_store_explicit(&block->serial, serial, memory_order_release);
  begin(thread, block, 0);
}

// Behind what its last thread left.
static void go_on(lt_thread *thread, lt_block *block) {
  begin(thread, block, atomic_load_explicit(&block->committed, memory_order_acquire));
  *thread->next = (lt_record){lt_tick(), 0, LT_KIND_THREAD, 0, 0, 0, own_thread(), {0, 0, 0, 0}};
  lt_commit(thread, thread->next);
}

static bool claim(lt_thread *thread, bool goes_on) {
  lt_block *parked = thread->block == NULL ? unpark() : NULL;
  if (parked != NULL) {
    go_on(thread, parked);
    return true;
  }
  bool last_eighth = false;
  lt_block *block = find_or_grow(goes_on, &last_eighth);
  if (block == NULL && lt_this_process()->session->on_full == LT_ON_FULL_BLOCK) {
    block = wait_for_block(goes_on, &last_eighth);
  }
  // In the last eighth a thread keeps its block for the next event that goes on.
  if (block == NULL) return false;
  lt_block_return(thread);
  begin_anew(thread, block);
  thread->last_eighth = last_eighth;
  return true;
}

// An emit is no place where a thread is cancelled, not even while it waits for a block.
bool lt_block_claim(lt_thread *thread, bool goes_on) {
  lt_shield();
  bool claimed = claim(thread, goes_on);
  lt_unshield();
  return claimed;
}
#endif
