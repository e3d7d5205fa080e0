// SPDX-License-Identifier: Apache-2.0

#include "drain.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct drain_pool {
  lt_pool_header *header;
  size_t bytes;
};

static lt_session *map_session(const char *directory, int flags) {
  char path[4096];
  snprintf(path, sizeof path, "%s/session", directory);
  int file = open(path, O_RDWR | flags, 0600);
  if (file < 0) return NULL;
  lt_session *session = NULL;
  if (flags == 0 || posix_fallocate(file, 0, sizeof(lt_session)) == 0) {
    void *map = mmap(NULL, sizeof(lt_session), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    session = map == MAP_FAILED ? NULL : map;
  }
  close(file);
  return session;
}

bool drain_session_make(const char *directory, uint32_t clock_kind, uint32_t on_full,
                        uint64_t block_timeout_ns, uint64_t pool_bytes_max) {
  lt_session *session = map_session(directory, O_CREAT | O_EXCL);
  if (session == NULL) return false;
  session->layout_version = LT_LAYOUT_VERSION;
  session->recorder_pid = (uint32_t)getpid();
  session->clock_kind = clock_kind;
  session->on_full = on_full;
  session->block_timeout_ns = block_timeout_ns;
  session->pool_bytes_max = pool_bytes_max;
  atomic_store(&session->open, 1);
  session->magic = LT_SESSION_MAGIC;
  munmap(session, sizeof *session);
  return true;
}

void drain_session_beat(const char *directory) {
  lt_session *session = map_session(directory, 0);
  if (session == NULL) return;
  atomic_fetch_add(&session->heartbeat_tick, 1);
  munmap(session, sizeof *session);
}

drain_pool *drain_open(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (file < 0) return NULL;
  void *map = MAP_FAILED;
  if (fstat(file, &status) == 0) {
    map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (map == MAP_FAILED) return NULL;
  drain_pool *pool = malloc(sizeof *pool);
  *pool = (drain_pool){map, (size_t)status.st_size};
  if (pool->header->magic == LT_POOL_MAGIC) return pool;
  drain_close(pool);
  return NULL;
}

void drain_close(drain_pool *pool) {
  munmap(pool->header, pool->bytes);
  free(pool);
}

static lt_block *block_at(const drain_pool *pool, uint32_t index) {
  return (lt_block *)((uint8_t *)pool->header + pool->header->header_bytes +
                      pool->header->tables_bytes + (size_t)index * pool->header->block_bytes);
}

static size_t take_block(lt_block *block, drain_record *records, size_t most) {
  uint64_t serial = atomic_load(&block->serial);
  uint64_t committed = atomic_load(&block->committed);
  if (serial != atomic_load(&block->serial)) return 0;
  uint64_t consumed = atomic_load(&block->consumed);
  uint32_t thread = lt_block_thread_at(block, consumed);
  size_t taken = 0;
  for (; consumed < committed && taken < most; consumed++) {
    lt_record record = block->records[consumed];
    if (record.kind == LT_KIND_THREAD) {
      thread = (uint32_t)record.identity;
    } else {
      records[taken++] = (drain_record){record, serial, thread};
    }
  }
  atomic_store(&block->consumed, consumed);
  return taken;
}

// The oldest block with something to take.
static lt_block *oldest(drain_pool *pool) {
  lt_block *found = NULL;
  uint64_t least = UINT64_MAX;
  uint32_t ready = atomic_load(&pool->header->blocks_ready);
  for (uint32_t index = 0; index < ready; index++) {
    lt_block *block = block_at(pool, index);
    uint64_t serial = atomic_load(&block->serial);
    if (serial > 0 && serial < least &&
        atomic_load(&block->consumed) < atomic_load(&block->committed)) {
      least = serial;
      found = block;
    }
  }
  return found;
}

// A thread may fill one block and go on to the next while we look, so what a first look found is
// taken only when a second one finds nothing older.
size_t drain_take(drain_pool *pool, drain_record *records, size_t most) {
  size_t taken = 0;
  while (taken < most) {
    lt_block *block = oldest(pool);
    if (block == NULL) break;
    if (oldest(pool) == block) taken += take_block(block, records + taken, most - taken);
  }
  return taken;
}

uint64_t drain_dropped(const drain_pool *pool, uint32_t family) {
  return atomic_load(&pool->header->dropped[family]);
}

uint64_t drain_dropped_total(const drain_pool *pool) {
  uint64_t total = 0;
  for (uint32_t family = 0; family < LT_FAMILIES; family++) total += drain_dropped(pool, family);
  return total;
}

uint64_t drain_strings_refused(const drain_pool *pool) {
  return atomic_load(&pool->header->strings_refused);
}
uint32_t drain_state(const drain_pool *pool) { return atomic_load(&pool->header->state); }
uint32_t drain_blocks_ready(const drain_pool *pool) {
  return atomic_load(&pool->header->blocks_ready);
}
uint32_t drain_pid(const drain_pool *pool) { return pool->header->pid; }
uint32_t drain_role(const drain_pool *pool) { return pool->header->role; }
const char *drain_app(const drain_pool *pool) { return pool->header->app; }
const char *drain_reason(const drain_pool *pool) { return pool->header->reason; }
const char *drain_version(const drain_pool *pool) { return pool->header->version; }
uint64_t drain_writer_high(const drain_pool *pool) { return pool->header->writer_high; }
uint64_t drain_previous_high(const drain_pool *pool) { return pool->header->previous_high; }
uint64_t drain_previous_low(const drain_pool *pool) { return pool->header->previous_low; }

static const lt_entry *entry(const drain_pool *pool, uint16_t type, uint32_t id) {
  const uint8_t *tables = (uint8_t *)pool->header + pool->header->header_bytes;
  uint64_t end = atomic_load(&pool->header->tables_committed);
  for (uint64_t at = 0; at < end;) {
    const lt_entry *here = (const lt_entry *)(tables + at);
    if (here->type == type && here->id == id) return here;
    at += here->bytes;
  }
  return NULL;
}

const char *drain_string(const drain_pool *pool, uint32_t id, size_t *count) {
  const lt_entry *found = entry(pool, LT_ENTRY_STRING, id);
  if (found == NULL) return NULL;
  *count = found->payload_bytes;
  return (const char *)(found + 1);
}

bool drain_site(const drain_pool *pool, uint32_t id, lt_site_entry *site) {
  const lt_entry *found = entry(pool, LT_ENTRY_SITE, id);
  if (found == NULL) return false;
  memcpy(site, found + 1, sizeof *site);
  return true;
}
