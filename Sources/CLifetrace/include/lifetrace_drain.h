// SPDX-License-Identifier: Apache-2.0
//
// The recorder's side of the shared memory: every load and store of a word that
// the other side may change meanwhile. Nothing here is trusted; the caller
// bounds each number before it is used.

#pragma once

#include <string.h>

#include "lifetrace_layout.h"

// A copy of the part of a pool's header that does not change after the rename.
typedef struct lt_pool_facts {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t header_bytes;
  uint64_t tables_bytes;
  uint32_t block_bytes;
  uint32_t blocks_max;
  uint32_t pid;
  uint32_t role;
  uint64_t pid_start;
  uint64_t writer_high, writer_low;
  uint64_t previous_high, previous_low;
  uint64_t attach_tick;
  char app[128];
  char process[64];
  char reason[32];
  char version[32];
  uint32_t cut;
  char test[256];
} lt_pool_facts;

static inline lt_pool_facts lt_drain_facts(const void *pool) {
  const lt_pool_header *header = (const lt_pool_header *)pool;
  lt_pool_facts facts;
  facts.magic = header->magic;
  facts.layout_version = header->layout_version;
  facts.header_bytes = header->header_bytes;
  facts.tables_bytes = header->tables_bytes;
  facts.block_bytes = header->block_bytes;
  facts.blocks_max = header->blocks_max;
  facts.pid = header->pid;
  facts.role = header->role;
  facts.pid_start = header->pid_start;
  facts.writer_high = header->writer_high;
  facts.writer_low = header->writer_low;
  facts.previous_high = header->previous_high;
  facts.previous_low = header->previous_low;
  facts.attach_tick = header->attach_tick;
  memcpy(facts.app, header->app, sizeof facts.app);
  memcpy(facts.process, header->process, sizeof facts.process);
  memcpy(facts.reason, header->reason, sizeof facts.reason);
  memcpy(facts.version, header->version, sizeof facts.version);
  facts.cut = header->cut;
  memcpy(facts.test, header->test, sizeof facts.test);
  return facts;
}

// A smaller file is no pool; tables begin behind it.
static inline uint64_t lt_drain_header_bytes(void) { return sizeof(lt_pool_header); }

static inline uint32_t lt_drain_blocks_ready(const void *pool) {
  return atomic_load_explicit(&((lt_pool_header *)pool)->blocks_ready, memory_order_acquire);
}
static inline uint64_t lt_drain_tables_committed(const void *pool) {
  return atomic_load_explicit(&((lt_pool_header *)pool)->tables_committed, memory_order_acquire);
}
static inline uint64_t lt_drain_dropped(const void *pool, uint32_t family) {
  return atomic_load_explicit(&((lt_pool_header *)pool)->dropped[family % LT_FAMILIES],
                              memory_order_relaxed);
}
static inline uint64_t lt_drain_strings_refused(const void *pool) {
  return atomic_load_explicit(&((lt_pool_header *)pool)->strings_refused, memory_order_relaxed);
}

typedef struct lt_block_view {
  uint64_t serial;
  uint64_t committed;
  uint32_t thread;
  uint32_t state;
} lt_block_view;

// One consistent look at a block: all of one claim. False while its owner is just changing.
static inline _Bool lt_drain_look(const void *place, lt_block_view *view) {
  lt_block *block = (lt_block *)place;
  view->state = atomic_load_explicit(&block->state, memory_order_acquire);
  if (view->state == LT_BLOCK_FREE) return 1;
  view->serial = atomic_load_explicit(&block->serial, memory_order_acquire);
  view->thread = atomic_load_explicit(&block->thread, memory_order_acquire);
  view->committed = atomic_load_explicit(&block->committed, memory_order_acquire);
  return atomic_load_explicit(&block->serial, memory_order_acquire) == view->serial;
}

// The thread of the record at `position`, which the caller has bounded.
static inline uint32_t lt_drain_thread_at(const void *place, uint64_t position) {
  return lt_block_thread_at((const lt_block *)place, position);
}

static inline uint64_t lt_drain_consumed(const void *place) {
  return atomic_load_explicit(&((lt_block *)place)->consumed, memory_order_relaxed);
}

// The records up to `count` are in the trace. A closed block that is wholly consumed may be claimed again.
static inline void lt_drain_consume(void *place, uint64_t count) {
  lt_block *block = (lt_block *)place;
  atomic_store_explicit(&block->consumed, count, memory_order_release);
}
static inline void lt_drain_open_session(void *place, uint32_t pid, uint32_t clock_kind,
                                         uint32_t on_full, uint64_t block_timeout_ns,
                                         uint64_t pool_bytes_max) {
  lt_session *session = (lt_session *)place;
  session->magic = LT_SESSION_MAGIC;
  session->layout_version = LT_LAYOUT_VERSION;
  session->recorder_pid = pid;
  session->clock_kind = clock_kind;
  session->on_full = on_full;
  session->block_timeout_ns = block_timeout_ns;
  session->pool_bytes_max = pool_bytes_max;
  atomic_store_explicit(&session->open, 1, memory_order_release);
}
static inline uint32_t lt_drain_session_clock(const void *place) {
  return ((const lt_session *)place)->clock_kind;
}
static inline uint64_t lt_drain_session_pool_bytes_max(const void *place) {
  return ((const lt_session *)place)->pool_bytes_max;
}
static inline _Bool lt_drain_is_session(const void *place) {
  const lt_session *session = (const lt_session *)place;
  return session->magic == LT_SESSION_MAGIC && session->layout_version == LT_LAYOUT_VERSION;
}
static inline void lt_drain_beat(void *place, uint64_t tick) {
  atomic_store_explicit(&((lt_session *)place)->heartbeat_tick, tick, memory_order_release);
}
static inline void lt_drain_close_session(void *place) {
  atomic_store_explicit(&((lt_session *)place)->open, 0, memory_order_release);
}
