// SPDX-License-Identifier: Apache-2.0
//
// The way of an event that cannot simply be stored.

#include "internal.h"

static uint64_t claim_retry_ticks(void) {
  // About 50 us where a tick is a nanosecond, less where ticks are faster.
  return 50000;
}

// Room for one record in this thread's block, or NULL; a record that does not fit is counted.
static lt_record *room(lt_thread *thread, uint8_t kind) {
  uint64_t control = lt_control_value();
  if (control == LT_CONTROL_UNDECIDED) control = lt_decide();
  if (control <= LT_CONTROL_SINKS) return NULL;
  if (thread->epoch != control) lt_thread_reset(thread, control);

  uint8_t family = lt_family_of(kind);
  bool goes_on = lt_family_goes_on(family);
  bool full = thread->next == thread->limit;
  bool leave = thread->last_eighth && !goes_on;
  if (full || leave) {
    bool search = goes_on || lt_tick() >= thread->retry_tick;
    if (!search || !lt_block_claim(thread, goes_on)) {
      if (search) thread->retry_tick = lt_tick() + claim_retry_ticks();
      atomic_fetch_add_explicit(&lt_this_process()->pool->dropped[family], 1,
                                memory_order_relaxed);
      return NULL;
    }
  }
  return thread->next;
}

static void commit(lt_thread *thread, lt_record *record) {
  bool is_counted = lt_ends_behind_an_event();
  lt_commit(thread, record);
  if (is_counted) lt_end_behind(record);
  // The inline path reads the counter and does not look at families.
  bool inline_path = LT_HAS_COUNTER && lt_this_process()->clock_kind == LT_CLOCK_COUNTER &&
                     !thread->last_eighth && !is_counted;
  thread->end = inline_path ? thread->limit : thread->next;
}

void lt_emit_slow(const lt_record *event) {
  lt_thread *thread = &lt_tls;
  if (thread->sink) {
    lt_sink_deliver(thread->sink, event);
    return;
  }
  lt_record *record = room(thread, event->kind);
  if (record == NULL) return;
  *record = *event;
  record->tick = lt_tick();
  commit(thread, record);
}

void lt_emit_ordered(const lt_record *event) {
  lt_thread *thread = &lt_tls;
  if (thread->sink) {
    lt_sink_deliver(thread->sink, event);
    return;
  }
  if (lt_control_value() == LT_CONTROL_OFF) return;
  lt_record *record = room(thread, event->kind);
  if (record == NULL) return;
  *record = *event;
  record->tick = lt_tick_ordered();
  commit(thread, record);
}

void lt_emit_record(const lt_record *event) {
  lt_thread *thread = &lt_tls;
  if (thread->sink || lt_control_value() <= LT_CONTROL_SINKS) return;
  lt_record *record = room(thread, event->kind);
  if (record == NULL) return;
  *record = *event;
  if (event->tick == 0) record->tick = lt_tick();
  commit(thread, record);
}

lt_record *lt_emit_begin(uint8_t kind, uint32_t site, uint64_t identity, uint64_t a0) {
  lt_thread *thread = &lt_tls;
  if (thread->sink || lt_control_value() == LT_CONTROL_OFF) return NULL;
  lt_record *record = room(thread, kind);
  if (record == NULL) return NULL;
  *record = (lt_record){lt_tick(), site, kind, 1, 0, 0, identity, {a0, 0, 0, 0}};
  return record;
}

void lt_emit_commit(lt_record *record) { commit(&lt_tls, record); }

// Identities are handed out to threads in ranges, so that a span costs no shared write.
uint64_t lt_refill_ids(void) {
  static _Atomic uint64_t next_range = 1;
  enum { range = 1024 };
  lt_thread *thread = &lt_tls;
  if (thread->sink) return lt_sink_id(thread->sink);
  thread->id_next = atomic_fetch_add_explicit(&next_range, range, memory_order_relaxed);
  thread->id_end = thread->id_next + range;
  return thread->id_next++;
}
