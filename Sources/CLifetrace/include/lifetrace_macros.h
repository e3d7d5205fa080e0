// SPDX-License-Identifier: Apache-2.0
//
// A macro for each kind of event that C emits. `lifetrace.h` brings it.

#pragma once

#include "lifetrace.h"

typedef struct lt_span {
  uint64_t id;
  uint32_t site;
} lt_span;

// A site of its own for each place in the source; looked up once.
#define LT_SITE(name)                                                                     \
  ({                                                                                      \
    static LT_ATOMIC(uint32_t) lt_site_here;                                              \
    uint32_t lt_known = LT_LOAD(&lt_site_here, __ATOMIC_RELAXED);                         \
    if (!lt_known) {                                                                      \
      lt_known = lt_site((name), __FILE__, __LINE__, "");                                 \
      LT_STORE(&lt_site_here, lt_known, __ATOMIC_RELAXED);                                \
    }                                                                                     \
    lt_known;                                                                             \
  })

// An event of any kind with up to four arguments.
#define LT_EMIT(kind, name, identity, count, a0, a1, a2, a3)                                   \
  do {                                                                                         \
    if (lt_enabled()) lt_emit((kind), LT_SITE(name), (identity), (count), (a0), (a1), (a2), (a3)); \
  } while (0)

#define LT_BEGIN(kind, name, count, a0, a1, a2)                                  \
  ({                                                                             \
    lt_span lt_made = {0, 0};                                                    \
    if (lt_enabled()) {                                                          \
      lt_made.id = lt_next_id();                                                 \
      lt_made.site = LT_SITE(name);                                              \
      lt_emit((kind), lt_made.site, lt_made.id, (count), (a0), (a1), (a2), 0);   \
    }                                                                            \
    lt_made;                                                                     \
  })
#define LT_END(kind, span, count, a0, a1)                                               \
  do {                                                                                  \
    if (lt_enabled()) lt_emit((kind), (span).site, (span).id, (count), (a0), (a1), 0, 0); \
  } while (0)

#define LT_CONFIGURE(app, role, reason, version) lt_configure((app), (role), (reason), (version))

#define LT_WORK_BEGIN(name, work_kind) \
  LT_BEGIN(LT_KIND_WORK_BEGIN, name, 2, (uint64_t)(work_kind), 0, 0)
#define LT_WORK_END(span) LT_END(LT_KIND_WORK_END, span, 0, 0, 0)
#define LT_WAIT_BEGIN(name, on) LT_BEGIN(LT_KIND_WAIT_BEGIN, name, 1, lt_name(on), 0, 0)
#define LT_WAIT_END(span) LT_END(LT_KIND_WAIT_END, span, 0, 0, 0)
// An app that speaks the protocol of `lifetrace record --scenario`, and has not said "records": true,
// leaves out LT_TRANSITION, LT_CALLBACK_*, LT_TASK_*, LT_WAKE_* and LT_NOTIFICATION_DELIVERED: the host
// writes these into the app's stream, from what it sends and what the app answers (task-began,
// task-ended, completed). An event that both report would stand there twice.
#define LT_CALLBACK_BEGIN(name) LT_BEGIN(LT_KIND_CALLBACK_BEGIN, name, 0, 0, 0, 0)
#define LT_CALLBACK_END(span, returned) \
  LT_END(LT_KIND_CALLBACK_END, span, 1, (uint64_t)(returned), 0)
#define LT_TURN_BEGIN(name) LT_BEGIN(LT_KIND_TURN_BEGIN, name, 0, 0, 0, 0)
#define LT_TURN_END(span) LT_END(LT_KIND_TURN_END, span, 0, 0, 0)
#define LT_TASK_BEGIN(name, granted_ns, handler) \
  LT_BEGIN(LT_KIND_TASK_BEGIN, name, 3, lt_name(name), (uint64_t)(granted_ns), (handler) ? 1 : 0)
#define LT_TASK_EXPIRE(span) LT_END(LT_KIND_TASK_EXPIRE, span, 0, 0, 0)
#define LT_TASK_END(span) LT_END(LT_KIND_TASK_END, span, 0, 0, 0)
#define LT_DEADLINE_OPEN(name, budget_ns, cpu) \
  LT_BEGIN(LT_KIND_DEADLINE_OPEN, name, 3, lt_name(name), (uint64_t)(budget_ns), (cpu) ? 1 : 0)
#define LT_DEADLINE_CLOSE(span) LT_END(LT_KIND_DEADLINE_CLOSE, span, 0, 0, 0)
#define LT_WAKE_BEGIN(name, budget_ns) \
  LT_BEGIN(LT_KIND_WAKE_BEGIN, name, 2, lt_name(name), (uint64_t)(budget_ns), 0)
#define LT_WAKE_COMPLETION(span, result) \
  LT_END(LT_KIND_WAKE_COMPLETION, span, 1, lt_name(result), 0)
#define LT_WAKE_REPORTED(span, call) LT_END(LT_KIND_WAKE_REPORTED, span, 1, lt_name(call), 0)
#define LT_TEST_BEGIN(suite, name) \
  LT_BEGIN(LT_KIND_TEST_BEGIN, name, 2, lt_name(suite), lt_name(name), 0)
#define LT_TEST_END(span, outcome) LT_END(LT_KIND_TEST_END, span, 1, lt_name(outcome), 0)

#define LT_TRANSITION(from, to, cause)                                                       \
  LT_EMIT(LT_KIND_TRANSITION, "", 0, 4, (uint64_t)(from), (uint64_t)(to), lt_name(cause),     \
          lt_process_cpu_ns())
#define LT_DEVICE(what, value, number) \
  LT_EMIT(LT_KIND_DEVICE, "", lt_name(what), 2, lt_name(value), (uint64_t)(number), 0, 0)
#define LT_TOUCH(view) LT_EMIT(LT_KIND_TOUCH, "", 0, 1, lt_name(view), 0, 0, 0)
// A lock that threads share, or that one takes again, is held until it is given back as often as it was taken.
// Which class and attribute rules know: RULES.md, "What an app holds". An id tells those of one name apart.
#define LT_RESOURCE_ACQUIRE(name, class, attribute) \
  LT_RESOURCE_ACQUIRE_ID(name, class, attribute, 0)
#define LT_RESOURCE_RELEASE(name, class, attribute) \
  LT_RESOURCE_RELEASE_ID(name, class, attribute, 0)
#define LT_RESOURCE_ACQUIRE_ID(name, class, attribute, id)                                   \
  LT_EMIT(LT_KIND_RESOURCE_ACQUIRE, "", lt_name(name), 3, (uint64_t)(class), lt_name(attribute), \
          (uint64_t)(id), 0)
#define LT_RESOURCE_RELEASE_ID(name, class, attribute, id)                                   \
  LT_EMIT(LT_KIND_RESOURCE_RELEASE, "", lt_name(name), 3, (uint64_t)(class), lt_name(attribute), \
          (uint64_t)(id), 0)
#define LT_RESOURCE_USE(name, class, attribute, value)                                       \
  LT_EMIT(LT_KIND_RESOURCE_USE, "", lt_name(name), 3, (uint64_t)(class), lt_name(attribute),     \
          (uint64_t)(value), 0)
#define LT_MEMORY_SAMPLE() LT_EMIT(LT_KIND_MEMORY_SAMPLE, "", 0, 1, lt_memory_bytes(), 0, 0, 0)
#define LT_MARK(name) LT_EMIT(LT_KIND_MARK, name, 0, 0, 0, 0, 0, 0)
#define LT_LOG(text, level) LT_EMIT(LT_KIND_LOG, "", 0, 2, lt_name(text), (uint64_t)(level), 0, 0)

#define LT_ORDERED(kind, identity, count, a0, a1, a2, a3)                                    \
  do {                                                                                       \
    if (lt_enabled()) {                                                                      \
      lt_record lt_event = {0, LT_SITE(""), (kind), (count), 0, 0, (uint64_t)(identity),     \
                            {(uint64_t)(a0), (uint64_t)(a1), (uint64_t)(a2), (a3)}};         \
      lt_emit_ordered(&lt_event);                                                            \
    }                                                                                        \
  } while (0)
#define LT_NOTIFICATION_POSTED(type, key, value, origin)                                     \
  LT_ORDERED(LT_KIND_NOTIFICATION_POSTED, lt_name(type), 3, lt_name(key), lt_name(value),    \
             lt_name(origin), 0)
#define LT_NOTIFICATION_DELIVERED(type, key, value) \
  LT_ORDERED(LT_KIND_NOTIFICATION_DELIVERED, lt_name(type), 2, lt_name(key), lt_name(value), 0, 0)
#define LT_NOTIFICATION_HANDLED(type, key, took_ns)                                           \
  LT_EMIT(LT_KIND_NOTIFICATION_HANDLED, "", lt_name(type), 2, lt_name(key), (uint64_t)(took_ns), \
          0, 0)
#define LT_MESSAGE_SEND(peer, flow, bytes, stamp) \
  LT_ORDERED(LT_KIND_MESSAGE_SEND, (flow), 4, lt_name(peer), (uint64_t)(bytes), (stamp), 1)
#define LT_MESSAGE_RECEIVE(peer, flow, bytes, stamp)                                        \
  LT_ORDERED(LT_KIND_MESSAGE_RECEIVE, (flow), 4, lt_name(peer), (uint64_t)(bytes),          \
             lt_hlc_receive(stamp), 1)

// Answers the new version.
#define LT_DATA_DIRTY(object, bytes)                                                         \
  ({                                                                                         \
    uint64_t lt_now_version = lt_version_next(object);                                       \
    LT_EMIT(LT_KIND_DATA_DIRTY, "", (object), 2, lt_now_version, (uint64_t)(bytes), 0, 0);   \
    lt_now_version;                                                                          \
  })
// The same with the bytes at hand, whose hash distinguishes a version that is saved already from a
// new one.
#define LT_DATA_DIRTY_BYTES(object, bytes, count)                                            \
  ({                                                                                         \
    uint64_t lt_now_version = lt_version_next(object);                                       \
    LT_EMIT(LT_KIND_DATA_DIRTY, "", (object), 3, lt_now_version, (uint64_t)(count),          \
            lt_hash((bytes), (count)), 0);                                                   \
    lt_now_version;                                                                          \
  })
// It compares nothing: call it after your own comparison, and only where that found the same bytes.
#define LT_DATA_UNCHANGED(object, version) lt_data_unchanged((object), LT_SITE(""), (version))
#define LT_DATA_FLUSHING(object, version, bytes) \
  lt_data_flushing((object), LT_SITE(""), (version), (uint64_t)(bytes))
#define LT_DATA_DURABLE(object, version, level, bytes, hash) \
  lt_data_durable((object), LT_SITE(""), (version), (level), (uint64_t)(bytes), (hash))
// The save failed: what was durable before still is. `error` is an errno, `why` the step: "write".
#define LT_DATA_FAILED(object, version, error, why)                                        \
  LT_EMIT(LT_KIND_DATA_FAILED, "", (object), 3, (version), (uint64_t)(int64_t)(error),      \
          lt_name(why), 0)
#define LT_DATA_RESTORED(object, version, bytes, hash) \
  lt_data_restored((object), LT_SITE(""), (version), (uint64_t)(bytes), (hash))
#define LT_DATA_DISCARDED(object, version) lt_data_discarded((object), LT_SITE(""), (version))
#define LT_DATA_MOVED(object, path) lt_data_moved((object), (path))
#define LT_SAVE(object, path, bytes, count) \
  lt_save((object), LT_SITE(""), (path), (bytes), (count), LT_LEVEL_DISK)
#define LT_RESTORE(object, path, bytes, count, version) \
  lt_restore((object), LT_SITE(""), (path), (bytes), (count), (version))
