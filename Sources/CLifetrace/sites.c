// SPDX-License-Identifier: Apache-2.0
//
// The caches that find a site or a name by the address of its literal.
//
// A slot points to an entry that never changes, so a reader needs no lock; two call
// sites that share a slot replace each other's pointer and stay right.

#include "internal.h"

enum { entries_max = 16384, probes_max = 16 };

const lt_call_site *_Atomic lt_call_sites[LT_CALL_SITE_SLOTS];
const lt_known_literal *_Atomic lt_known_literals[LT_LITERAL_SLOTS];

// A site that was pushed out of its slot comes back with the entry it had. Under the lock.
static lt_call_site call_sites[entries_max];
static lt_known_literal literals[entries_max];

static uint32_t name_of(lt_literal literal) { return lt_name_bytes(literal.bytes, literal.count); }

static uint32_t labels_name(const lt_literal labels[4], uint32_t types) {
  static const char *const type_names[LT_TYPES] = {
      "int",   "hex",  "name",  "duration", "bytes",  "bool",
      "state", "work", "level", "resource", "double",
  };
  char text[1024];
  size_t used = 0;
  for (int at = 0; at < 4 && labels[at].bytes != NULL; at++) {
    uint32_t type = types >> (8 * at) & 0xff;
    const char *type_name = type_names[type < LT_TYPES ? type : LT_TYPE_HEX];
    size_t type_bytes = strlen(type_name);
    if (used + labels[at].count + type_bytes + 2 > sizeof text) break;
    if (used > 0) text[used++] = ',';
    memcpy(text + used, labels[at].bytes, labels[at].count);
    used += labels[at].count;
    text[used++] = ':';
    memcpy(text + used, type_name, type_bytes);
    used += type_bytes;
  }
  return lt_name_bytes(text, used);
}

static bool same(const lt_call_site *known, const lt_call_site *wanted) {
  return known->name == wanted->name && known->file == wanted->file &&
         known->line == wanted->line && known->types == wanted->types &&
         memcmp(known->label, wanted->label, sizeof wanted->label) == 0;
}

uint32_t lt_call_site_miss(lt_literal name, lt_literal file, uint32_t line,
                           const lt_literal labels[4], uint32_t types) {
  lt_call_site wanted = {.name = name.bytes, .file = file.bytes, .line = line, .types = types};
  for (int at = 0; at < 4; at++) wanted.label[at] = labels[at].bytes;
  lt_site_entry site = {name_of(name), name_of(file), line, labels_name(labels, types)};
  wanted.id = lt_site_of_entry(&site);
  if (wanted.id == LT_NAME_LOST) return wanted.id;

  const lt_call_site *entry = NULL;
  lt_lock();
  for (uint32_t probe = 0; probe < probes_max && entry == NULL; probe++) {
    uint32_t at = (wanted.id * 2654435761u + probe) % entries_max;
    if (call_sites[at].id == 0) call_sites[at] = wanted;
    if (same(&call_sites[at], &wanted)) entry = &call_sites[at];
  }
  lt_unlock();
  if (entry != NULL) {
    atomic_store_explicit(&lt_call_sites[lt_call_site_slot(name.bytes, line)], entry,
                          memory_order_release);
  }
  return wanted.id;
}

uint32_t lt_literal_miss(lt_literal literal) {
  lt_known_literal wanted = {literal.bytes, literal.count, name_of(literal)};
  if (wanted.id == 0 || wanted.id == LT_NAME_LOST) return wanted.id;
  const lt_known_literal *entry = NULL;
  lt_lock();
  for (uint32_t probe = 0; probe < probes_max && entry == NULL; probe++) {
    uint32_t at = (wanted.id * 2654435761u + probe) % entries_max;
    if (literals[at].id == 0) literals[at] = wanted;
    if (literals[at].bytes == wanted.bytes && literals[at].count == wanted.count) {
      entry = &literals[at];
    }
  }
  lt_unlock();
  if (entry != NULL) {
    atomic_store_explicit(
        &lt_known_literals[((uintptr_t)literal.bytes >> 3) % LT_LITERAL_SLOTS], entry,
        memory_order_release);
  }
  return wanted.id;
}
