// SPDX-License-Identifier: Apache-2.0
//
// Simulated threads: their events, clock, identities and versions are those of a sink.
//
// A thread that carries a sink always finds its block full, so the plain emit pays nothing.

#include "internal.h"

typedef struct version_entry {
  uint32_t object;  // a name id plus one; 0 is empty
  _Atomic uint64_t version;
} version_entry;

struct lt_sink {
  lt_sink_receive receive;
  lt_sink_now now;
  void *context;
  uint64_t next_id;
  _Atomic uint64_t hlc;
  version_entry *versions;  // open addressing, a power of two
  uint32_t room;
  uint32_t count;
};

lt_sink *lt_sink_create(lt_sink_receive receive, lt_sink_now now, void *context) {
  lt_sink *sink = calloc(1, sizeof *sink);
  if (sink == NULL) abort();
  sink->receive = receive;
  sink->now = now;
  sink->context = context;
  sink->next_id = 1;
  return sink;
}

void lt_sink_destroy(lt_sink *sink) {
  if (sink == NULL) return;
  free(sink->versions);
  free(sink);
}

lt_sink *lt_sink_current(void) { return lt_tls.sink; }

static void carry(lt_sink *sink) {
  lt_thread *thread = &lt_tls;
  thread->sink = sink;
  // The next emit takes the slow path; without a sink that path finds the way back by itself.
  thread->end = thread->next;
  // Identities come from the sink, one by one; what was left of a range is forgotten.
  thread->id_next = thread->id_end;
}

lt_sink *lt_sink_enter(lt_sink *sink) {
  lt_sink *before = lt_tls.sink;
  lt_sinks_listen();
  carry(sink);
  return before;
}

void lt_sink_leave(lt_sink *before) { carry(before); }

void lt_sink_deliver(lt_sink *sink, const lt_record *event) {
  lt_record stamped = *event;
  stamped.tick = sink->now(sink->context);
  sink->receive(sink->context, &stamped);
}

uint64_t lt_sink_now_ns(lt_sink *sink) { return sink->now(sink->context); }
uint64_t lt_sink_id(lt_sink *sink) { return sink->next_id++; }
_Atomic uint64_t *lt_sink_hlc(lt_sink *sink) { return &sink->hlc; }

static version_entry *version_slot(version_entry *entries, uint32_t room, uint32_t object) {
  for (uint32_t at = (object * 2654435761u) & (room - 1);; at = (at + 1) & (room - 1)) {
    if (entries[at].object == 0 || entries[at].object == object + 1) return &entries[at];
  }
}

static void grow(lt_sink *sink) {
  uint32_t room = sink->room ? sink->room * 2 : 16;
  version_entry *entries = calloc(room, sizeof *entries);
  if (entries == NULL) abort();
  for (uint32_t at = 0; at < sink->room; at++) {
    const version_entry *old = &sink->versions[at];
    if (old->object == 0) continue;
    version_entry *moved = version_slot(entries, room, old->object - 1);
    moved->object = old->object;
    atomic_init(&moved->version, atomic_load(&old->version));
  }
  free(sink->versions);
  sink->versions = entries;
  sink->room = room;
}

// One thread at a time carries a sink, so nobody else sees the table move.
_Atomic uint64_t *lt_sink_version(lt_sink *sink, uint32_t object) {
  if (sink->count * 2 >= sink->room) grow(sink);
  version_entry *entry = version_slot(sink->versions, sink->room, object);
  if (entry->object == 0) {
    entry->object = object + 1;
    sink->count++;
  }
  return &entry->version;
}
