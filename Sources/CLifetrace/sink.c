// SPDX-License-Identifier: Apache-2.0
//
// Simulated threads: their events, clock, identities and versions are those of a sink.
//
// A thread that carries a sink always finds its block full, so the plain emit pays nothing.

#include "internal.h"

typedef struct object_entry {
  uint32_t name;  // id plus one; 0 is empty
  lt_object *object;  // stays where it is while the table grows
} object_entry;

struct lt_sink {
  lt_sink_receive receive;
  lt_sink_now now;
  void *context;
  _Atomic uint64_t next_id;
  _Atomic uint64_t hlc;
  _Atomic uint32_t lock;  // of what follows: a simulated app may have several threads
  object_entry *objects;  // open addressing, a power of two
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
  for (uint32_t at = 0; at < sink->room; at++) {
    if (sink->objects[at].object != NULL) free(sink->objects[at].object->home_path);
    free(sink->objects[at].object);
  }
  free(sink->objects);
  free(sink);
}


static void carry(lt_sink *sink) {
  lt_thread *thread = &lt_tls;
  thread->sink = sink;
  // The next emit takes the slow path; without a sink that path finds the way back by itself.
  thread->end = thread->next;
  // Identities come from the sink, one by one; the rest of a range is forgotten.
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

static object_entry *slot_of(object_entry *entries, uint32_t room, uint32_t name) {
  for (uint32_t at = (name * 2654435761u) & (room - 1);; at = (at + 1) & (room - 1)) {
    if (entries[at].name == 0 || entries[at].name == name + 1) return &entries[at];
  }
}

static void grow(lt_sink *sink) {
  uint32_t room = sink->room ? sink->room * 2 : 16;
  object_entry *entries = calloc(room, sizeof *entries);
  if (entries == NULL) abort();
  for (uint32_t at = 0; at < sink->room; at++) {
    const object_entry *old = &sink->objects[at];
    if (old->name != 0) memcpy(slot_of(entries, room, old->name - 1), old, sizeof *old);
  }
  free(sink->objects);
  sink->objects = entries;
  sink->room = room;
}

lt_object *lt_sink_object(lt_sink *sink, uint32_t name) {
  lt_lock_take(&sink->lock);
  if (sink->count * 2 >= sink->room) grow(sink);
  object_entry *entry = slot_of(sink->objects, sink->room, name);
  if (entry->name == 0) {
    entry->name = name + 1;
    entry->object = calloc(1, sizeof *entry->object);
    if (entry->object == NULL) abort();
    sink->count++;
  }
  lt_object *object = entry->object;
  lt_lock_give(&sink->lock);
  return object;
}
