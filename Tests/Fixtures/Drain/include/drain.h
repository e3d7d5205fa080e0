// SPDX-License-Identifier: Apache-2.0
//
// The smallest reader of a session: what tests of the app side need of a recorder.

#pragma once

#include <lifetrace.h>

// Writes `directory`/session, open for joining.
bool drain_session_make(const char *directory, uint32_t clock_kind, uint32_t on_full,
                        uint64_t block_timeout_ns, uint64_t pool_bytes_max);
// Says that somebody drains.
void drain_session_beat(const char *directory);

typedef struct drain_pool drain_pool;

drain_pool *drain_open(const char *path);
void drain_close(drain_pool *pool);

typedef struct drain_record {
  lt_record record;
  uint64_t serial;  // of its block
  uint32_t thread;
} drain_record;

// Consumes up to `most` records, in order within each thread.
size_t drain_take(drain_pool *pool, drain_record *records, size_t most);

uint64_t drain_dropped(const drain_pool *pool, uint32_t family);
uint64_t drain_dropped_total(const drain_pool *pool);
uint64_t drain_strings_refused(const drain_pool *pool);
uint32_t drain_state(const drain_pool *pool);
uint32_t drain_blocks_ready(const drain_pool *pool);
uint32_t drain_pid(const drain_pool *pool);
uint32_t drain_role(const drain_pool *pool);
const char *drain_app(const drain_pool *pool);
const char *drain_reason(const drain_pool *pool);
const char *drain_version(const drain_pool *pool);
uint64_t drain_writer_high(const drain_pool *pool);
uint64_t drain_previous_high(const drain_pool *pool);
uint64_t drain_previous_low(const drain_pool *pool);

// The string of an id as the pool's tables have it; NULL for one that is not there.
const char *drain_string(const drain_pool *pool, uint32_t id, size_t *count);
bool drain_site(const drain_pool *pool, uint32_t id, lt_site_entry *entry);

// The bytes of a small pool as an app makes it: some strings, a site, one block of `LT_BLOCK_BYTES`
// with a record of each of `kinds` kinds from `first_kind` on. Returns how many bytes of `most` it takes, 0 when they do not do.
size_t drain_pool_sample(uint8_t *bytes, size_t most, uint32_t first_kind, uint32_t kinds);
