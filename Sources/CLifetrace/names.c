// SPDX-License-Identifier: Apache-2.0
//
// Strings and sites of this process: looked up without a lock, appended under one.
//
// The arena holds exactly the bytes that stand in the pool's tables, so a pool made
// later (in a fork child, say) begins with a copy of it and every id stays true.

#include "internal.h"

enum { slots = 262144 };

static _Alignas(8) uint8_t arena[LT_TABLES_BYTES];
static _Atomic uint64_t arena_used;
// Offset of an entry in units of 8 bytes, plus one; 0 is empty.
static _Atomic uint32_t slot[slots];
static uint32_t offset_of_string[LT_NAMES_MAX];
static uint32_t offset_of_site[LT_NAMES_MAX];
static _Atomic uint32_t string_count;
static _Atomic uint32_t site_count;

uint64_t lt_tables_used(void) { return atomic_load_explicit(&arena_used, memory_order_acquire); }
const uint8_t *lt_tables_bytes(void) { return arena; }

static lt_entry *entry_at(uint32_t place) { return (lt_entry *)(arena + (size_t)place * 8); }

// The id of the entry, or 0 with `index` at the slot where it would stand. A string that was cut is
// another one than the same bytes that were not.
static uint32_t find(uint16_t type, bool cut, const void *payload, uint32_t bytes,
                     uint32_t *index) {
  uint64_t hash = lt_hash(payload, bytes) + type;
  for (uint32_t probe = 0; probe < slots; probe++) {
    *index = (uint32_t)(hash + probe) % slots;
    uint32_t place = atomic_load_explicit(&slot[*index], memory_order_acquire);
    if (place == 0) return 0;
    const lt_entry *entry = entry_at(place - 1);
    if (entry->type == type && entry->cut == cut && entry->payload_bytes == bytes &&
        memcmp(entry + 1, payload, bytes) == 0) {
      return entry->id;
    }
  }
  return 0;
}

static uint32_t refuse(void) {
  if (lt_control_value() > LT_CONTROL_SINKS) {
    atomic_fetch_add_explicit(&lt_this_process()->pool->strings_refused, 1, memory_order_relaxed);
  }
  return LT_NAME_LOST;
}

// What the pool's reader sees is whole before anybody can use the id.
static bool copy_to_pool(uint64_t end) {
  lt_process *process = lt_this_process();
  if (lt_control_value() <= LT_CONTROL_SINKS) return true;
  if (!lt_pool_reserve_tables(end)) return false;
  uint8_t *tables = (uint8_t *)process->pool + process->pool->header_bytes;
  memcpy(tables + process->tables_copied, arena + process->tables_copied,
         end - process->tables_copied);
  process->tables_copied = end;
  atomic_store_explicit(&process->pool->tables_committed, end, memory_order_release);
  return true;
}

static uint32_t append(uint16_t type, bool cut, const void *payload, uint32_t bytes) {
  uint32_t index = 0;
  uint32_t known = find(type, cut, payload, bytes, &index);
  if (known) return known;
  _Atomic uint32_t *count = type == LT_ENTRY_STRING ? &string_count : &site_count;
  uint32_t *offsets = type == LT_ENTRY_STRING ? offset_of_string : offset_of_site;
  uint64_t used = lt_tables_used();
  uint32_t entry_bytes = (uint32_t)(sizeof(lt_entry) + bytes + 7) & ~7u;
  uint32_t id = atomic_load(count) + 1;
  if (id >= LT_NAMES_MAX || used + entry_bytes > LT_TABLES_BYTES) return refuse();

  lt_entry *entry = (lt_entry *)(arena + used);
  *entry = (lt_entry){entry_bytes, type, cut, id, bytes};
  memcpy(entry + 1, payload, bytes);
  if (!copy_to_pool(used + entry_bytes)) return refuse();
  offsets[id] = (uint32_t)(used / 8);
  atomic_store_explicit(&arena_used, used + entry_bytes, memory_order_release);
  atomic_store_explicit(count, id, memory_order_release);
  atomic_store_explicit(&slot[index], (uint32_t)(used / 8) + 1, memory_order_release);
  return id;
}

static uint32_t intern(uint16_t type, bool cut, const void *payload, uint32_t bytes) {
  uint32_t index;
  uint32_t known = find(type, cut, payload, bytes, &index);
  if (known) return known;
  lt_lock();
  uint32_t id = append(type, cut, payload, bytes);
  lt_unlock();
  return id;
}

uint32_t lt_name_bytes(const char *bytes, size_t count) {
  if (count == 0) return 0;
  bool cut = count > LT_STRING_BYTES_MAX;
  if (cut) {
    count = LT_STRING_BYTES_MAX;
    while (count > 0 && ((unsigned char)bytes[count] & 0xc0) == 0x80) count--;
  }
  return intern(LT_ENTRY_STRING, cut, bytes, (uint32_t)count);
}

const char *lt_name_lookup(uint32_t id, size_t *count) {
  static const char lost[] = "(name lost)";
  if (id == LT_NAME_LOST) {
    *count = sizeof lost - 1;
    return lost;
  }
  if (id == 0 || id > atomic_load_explicit(&string_count, memory_order_acquire)) return NULL;
  const lt_entry *entry = entry_at(offset_of_string[id]);
  *count = entry->payload_bytes;
  return (const char *)(entry + 1);
}

uint32_t lt_site_of_entry(const lt_site_entry *entry) {
  return intern(LT_ENTRY_SITE, false, entry, sizeof *entry);
}

uint32_t lt_site(const char *name, const char *file, uint32_t line, const char *labels) {
  lt_site_entry site = {lt_name(name), lt_name(file), line, lt_name(labels)};
  return lt_site_of_entry(&site);
}

bool lt_site_lookup(uint32_t id, lt_site_entry *entry) {
  if (id == LT_NAME_LOST) {
    *entry = (lt_site_entry){LT_NAME_LOST, 0, 0, 0};
    return true;
  }
  if (id == 0 || id > atomic_load_explicit(&site_count, memory_order_acquire)) return false;
  memcpy(entry, entry_at(offset_of_site[id]) + 1, sizeof *entry);
  return true;
}
