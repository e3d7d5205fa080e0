// SPDX-License-Identifier: Apache-2.0
//
// A pool made by hand, for mutations to begin with.

#include "drain.h"

#include <string.h>

enum { header_bytes = 1024, tables_bytes = 1024 };

static size_t entry(uint8_t *at, uint16_t type, uint32_t id, const void *payload, uint32_t count) {
  uint32_t bytes = (uint32_t)(sizeof(lt_entry) + count + 7) & ~7u;
  lt_entry entry = {bytes, type, 0, id, count};
  memcpy(at, &entry, sizeof entry);
  memcpy(at + sizeof entry, payload, count);
  return bytes;
}

size_t drain_pool_sample(uint8_t *bytes, size_t most, uint32_t first_kind, uint32_t kinds) {
  size_t size = header_bytes + tables_bytes + LT_BLOCK_BYTES;
  if (most < size) return 0;
  memset(bytes, 0, size);
  lt_pool_header *header = (lt_pool_header *)bytes;
  header->magic = LT_POOL_MAGIC;
  header->layout_version = LT_LAYOUT_VERSION;
  header->header_bytes = header_bytes;
  header->tables_bytes = tables_bytes;
  header->block_bytes = LT_BLOCK_BYTES;
  header->blocks_max = 1;
  atomic_store(&header->blocks_ready, 1);
  atomic_store(&header->state, LT_POOL_LIVE);
  header->pid = 4194303;
  header->pid_start = 12345;
  header->writer_high = 0x0123456789abcdef;
  header->writer_low = 0xfedcba9876543210;
  header->attach_tick = 1000;
  strcpy(header->app, "com.example.app");
  strcpy(header->process, "app");
  strcpy(header->reason, "icon");
  strcpy(header->version, "1.0");

  uint8_t *tables = bytes + header_bytes;
  static const char *const strings[] = {"draft.txt", "Editor.swift", "save", "a:name,b:int"};
  size_t used = 0;
  for (uint32_t id = 1; id <= 4; id++) {
    const char *text = strings[id - 1];
    used += entry(tables + used, LT_ENTRY_STRING, id, text, (uint32_t)strlen(text));
  }
  lt_site_entry site = {3, 2, 41, 4};
  used += entry(tables + used, LT_ENTRY_SITE, 1, &site, sizeof site);
  atomic_store(&header->tables_committed, used);

  lt_block *block = (lt_block *)(tables + tables_bytes);
  uint64_t at = 0;
  for (uint32_t kind = first_kind; kind < first_kind + kinds; kind++) {
    block->records[at] = (lt_record){.tick = 1000 + at, .site = kind & 1, .kind = (uint8_t)kind,
                                     .arg_count = kind & 3, .identity = kind & 3,
                                     .arg = {1, 2, 3, kind}};
    at++;
  }
  atomic_store(&block->serial, 1);
  atomic_store(&block->thread, 0);
  atomic_store(&block->state, LT_BLOCK_OPEN);
  atomic_store(&block->committed, at);
  return size;
}
