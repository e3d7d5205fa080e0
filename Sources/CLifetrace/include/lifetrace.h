// SPDX-License-Identifier: Apache-2.0
//
// lifetrace for apps in C and C++, and the path that the Swift API stands on.
//
//     #include <lifetrace.h>
//
//     LT_CONFIGURE("com.example.notes", LT_ROLE_APP, "icon", "1.0");
//     lt_span span = LT_WORK_BEGIN("load", LT_WORK_FILE);
//     load();
//     LT_WORK_END(span);
//
//     uint32_t draft = lt_name("draft.txt");
//     uint64_t version = LT_DATA_DIRTY(draft, length);
//     LT_SAVE(draft, "draft.txt", text, length);
//
// Without a recorder (no LIFETRACE_SESSION in the environment) an emit is a load
// and a branch. With one, it is a counter read, a 56-byte record and one release
// store. Not for use in a signal handler that interrupts an emit of its thread. C++ includes
// the same header, and is linked to the same files, compiled as C.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lifetrace_kinds.h"
#include "lifetrace_layout.h"

#ifdef __cplusplus
#define LT_MAKE(type, ...) type{__VA_ARGS__}
#define LT_TLS_WORD __thread
extern "C" {
#else
#define LT_MAKE(type, ...) ((type){__VA_ARGS__})
#define LT_TLS_WORD _Thread_local
#endif

#define LT_INLINE static inline __attribute__((always_inline))
#define LT_LIKELY(x) __builtin_expect(!!(x), 1)

// ---------------------------------------------------------------- state

// Values of lt_control.word: also the epoch of the pool that this process has joined, any larger number.
#define LT_CONTROL_UNDECIDED 0u  // not asked yet, or this is a fresh fork child
#define LT_CONTROL_OFF 1u        // no recorder
#define LT_CONTROL_SINKS 2u      // no recorder, but a simulated thread listens

// The first word of a page that is wiped on fork, so that a child joins anew.
#if defined(__aarch64__)
#define LT_PAGE_BYTES 65536u
#else
#define LT_PAGE_BYTES 4096u
#endif
typedef struct lt_control_page {
  LT_ALIGNED(LT_PAGE_BYTES) LT_ATOMIC(uint64_t) word;
  uint64_t process[LT_PAGE_BYTES / 8 - 1];  // what this process knows of its pool
} lt_control_page;
extern lt_control_page lt_control;

// What a thread knows: where its next record goes. Small, so that it fits in the static TLS
// block even of a library that was loaded late.
typedef struct lt_thread {
  lt_record *next;
  lt_record *end;     // next == end: take the slow path
  lt_block *block;
  uint64_t epoch;     // of the pool that the block belongs to
  uint64_t id_next;   // identities of spans, handed out in ranges
  uint64_t id_end;
  lt_record *limit;   // the end of the block
  struct lt_sink *sink;
  uint64_t retry_tick;  // the pool was full: do not search again before this
  bool last_eighth;     // the block is for families that go on in a full pool
  bool registered;      // the destructor of this thread is set
  uint16_t shields;     // how deep it is in what must not be cancelled
  int cancel_state;     // its own, while `shields` is not 0
} lt_thread;

#if defined(LT_OBSERVER)
// A copy of the SDK in a library that stands before a program must not be taken for the program's.
#define LT_TLS LT_TLS_WORD __attribute__((tls_model("initial-exec"), visibility("hidden")))
#elif defined(__ELF__)
#define LT_TLS LT_TLS_WORD __attribute__((tls_model("initial-exec")))
#else
#define LT_TLS LT_TLS_WORD
#endif
extern LT_TLS lt_thread lt_tls;

// 0 only where no recorder listens.
LT_INLINE bool lt_enabled(void) {
  return LT_LOAD(&lt_control.word, __ATOMIC_RELAXED) != LT_CONTROL_OFF;
}

// ---------------------------------------------------------------- emit

// Everything that is not the plain case: joins, claims a block, hands to a sink, drops and counts.
void lt_emit_slow(const lt_record *event) __attribute__((cold, noinline));

// With a serialised counter read: for sends, receives, posts and deliveries, whose order
// against another process matters to the nanosecond.
void lt_emit_ordered(const lt_record *event);

#if defined(__x86_64__)
#define LT_HAS_COUNTER 1
LT_INLINE uint64_t lt_counter(void) { return __builtin_ia32_rdtsc(); }
#elif defined(__aarch64__)
#define LT_HAS_COUNTER 1
LT_INLINE uint64_t lt_counter(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#else
#define LT_HAS_COUNTER 0
LT_INLINE uint64_t lt_counter(void) { return 0; }
#endif

// The recorder's core has last read the lines that we are about to write: ask for them 8 records
// ahead, else the store buffer fills while they come (11.4 ns an event rather than 9.5).
LT_INLINE void lt_want(const lt_record *record) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(record[8]));
#else
  __builtin_prefetch(record + 8, 1);
#endif
}

LT_INLINE void lt_commit(lt_thread *thread, lt_record *record) {
  lt_block *block = thread->block;
  thread->next = record + 1;
  uint64_t count = LT_LOAD(&block->committed, __ATOMIC_RELAXED);
  LT_STORE(&block->committed, count + 1, __ATOMIC_RELEASE);
}

LT_INLINE void lt_emit(uint8_t kind, uint32_t site, uint64_t identity, uint8_t arg_count,
                       uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3) {
  lt_thread *thread = &lt_tls;
  uint64_t control = LT_LOAD(&lt_control.word, __ATOMIC_RELAXED);
  lt_record *record = thread->next;
  if (LT_LIKELY(control == thread->epoch && record != thread->end)) {
    lt_want(record);
    *record =
        LT_MAKE(lt_record, lt_counter(), site, kind, arg_count, 0, 0, identity, {a0, a1, a2, a3});
    lt_commit(thread, record);
  } else if (control != LT_CONTROL_OFF) {
    lt_record event = {0, site, kind, arg_count, 0, 0, identity, {a0, a1, a2, a3}};
    lt_emit_slow(&event);
  }
}

// The two halves of an emit, for tests that stop a thread between its clock read and its commit.
// `lt_emit_begin` answers NULL where the event went elsewhere (off, full, a sink).
lt_record *lt_emit_begin(uint8_t kind, uint32_t site, uint64_t identity, uint64_t a0);
void lt_emit_commit(lt_record *record);

// Joins the session if there is one; an emit does it by itself.
bool lt_join(void);

// An identity of this process, never 0.
uint64_t lt_refill_ids(void) __attribute__((cold, noinline));
LT_INLINE uint64_t lt_next_id(void) {
  lt_thread *thread = &lt_tls;
  return LT_LIKELY(thread->id_next != thread->id_end) ? thread->id_next++ : lt_refill_ids();
}

// ---------------------------------------------------------------- names and sites

// The id of a string: about 15 ns for one that is known. LT_NAME_LOST when the table is full.
uint32_t lt_name_bytes(const char *bytes, size_t count);
LT_INLINE uint32_t lt_name(const char *string) {
  return lt_name_bytes(string, __builtin_strlen(string));
}

// The bytes of a string id, "(name lost)" for LT_NAME_LOST, NULL for one never given out. They live as long as the process.
const char *lt_name_lookup(uint32_t id, size_t *count);

// `labels` is "name:type,name:type" for the arguments behind those of the kind, or empty.
uint32_t lt_site(const char *name, const char *file, uint32_t line, const char *labels);
// False for an id that was never given out.
bool lt_site_lookup(uint32_t id, lt_site_entry *entry);

// A literal and its length.
typedef struct lt_literal {
  const char *bytes;
  size_t count;
} lt_literal;

// A call site as the cache keeps it: found by the addresses of its literals.
typedef struct lt_call_site {
  LT_ALIGNED(64) const char *name;
  const char *file;
  uint32_t line;
  uint32_t id;
  const char *label[4];
  uint32_t types;  // a byte each
} lt_call_site;

#define LT_CALL_SITE_SLOTS 1024u
extern LT_ATOMIC(const lt_call_site *) lt_call_sites[LT_CALL_SITE_SLOTS];

uint32_t lt_call_site_miss(lt_literal name, lt_literal file, uint32_t line,
                           const lt_literal labels[4], uint32_t types)
    __attribute__((cold, noinline));

LT_INLINE size_t lt_call_site_slot(const char *name, uint32_t line) {
  return (((uintptr_t)name >> 3) + (uintptr_t)line * 37u) % LT_CALL_SITE_SLOTS;
}

// The site of a call whose strings are literals: a few loads once it is known.
LT_INLINE uint32_t lt_call_site_id(lt_literal name, lt_literal file, uint32_t line) {
  const lt_call_site *known = LT_LOAD(
      &lt_call_sites[lt_call_site_slot(name.bytes, line)], __ATOMIC_ACQUIRE);
  if (LT_LIKELY(known != NULL && known->name == name.bytes && known->line == line &&
                known->file == file.bytes && known->label[0] == NULL)) {
    return known->id;
  }
  const lt_literal none[4] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
  return lt_call_site_miss(name, file, line, none, 0);
}

LT_INLINE uint32_t lt_labelled_site_id(lt_literal name, lt_literal file, uint32_t line,
                                       lt_literal l0, lt_literal l1, lt_literal l2, lt_literal l3,
                                       uint32_t types) {
  const lt_call_site *known = LT_LOAD(
      &lt_call_sites[lt_call_site_slot(name.bytes, line)], __ATOMIC_ACQUIRE);
  if (LT_LIKELY(known != NULL && known->name == name.bytes && known->line == line &&
                known->file == file.bytes && known->label[0] == l0.bytes &&
                known->label[1] == l1.bytes && known->label[2] == l2.bytes &&
                known->label[3] == l3.bytes && known->types == types)) {
    return known->id;
  }
  const lt_literal labels[4] = {l0, l1, l2, l3};
  return lt_call_site_miss(name, file, line, labels, types);
}

// The id of a literal by its address: a few loads once it is known.
typedef struct lt_known_literal {
  const char *bytes;
  size_t count;
  uint32_t id;
} lt_known_literal;

#define LT_LITERAL_SLOTS 1024u
extern LT_ATOMIC(const lt_known_literal *) lt_known_literals[LT_LITERAL_SLOTS];
uint32_t lt_literal_miss(lt_literal literal) __attribute__((cold, noinline));

LT_INLINE uint32_t lt_literal_id(lt_literal literal) {
  const lt_known_literal *known = LT_LOAD(
      &lt_known_literals[((uintptr_t)literal.bytes >> 3) % LT_LITERAL_SLOTS], __ATOMIC_ACQUIRE);
  if (LT_LIKELY(known != NULL && known->bytes == literal.bytes && known->count == literal.count)) {
    return known->id;
  }
  return lt_literal_miss(literal);
}

// ---------------------------------------------------------------- identity of the process

// Before the first event; NULL leaves a part as it is. The environment wins:
// LIFETRACE_APP, LIFETRACE_ROLE, LIFETRACE_REASON, LIFETRACE_PREVIOUS; LIFETRACE_TEST is the test that
// the process was started for, and so are its children.
void lt_configure(const char *app, uint32_t role, const char *reason, const char *version);

// The writer id of this process's pool; both 0 while it has not joined.
void lt_writer(uint64_t *high, uint64_t *low);

// ---------------------------------------------------------------- clocks, hash, flows

// CPU time of this thread or process in ns; 0 on a simulated thread, whose time is not real.
uint64_t lt_thread_cpu_ns(void);
uint64_t lt_process_cpu_ns(void);
// CLOCK_MONOTONIC, or the virtual clock of a simulated thread.
uint64_t lt_monotonic_ns(void);
// Resident memory in bytes, 0 where unknown.
uint64_t lt_memory_bytes(void);

// XXH64 with seed 0.
uint64_t lt_hash(const void *bytes, size_t count);

// Hybrid logical clock: real time in units of 65,536 ns above 16 bits that count.
uint64_t lt_hlc_send(void);
uint64_t lt_hlc_receive(uint64_t stamp);
// A random number that ties a send to its receive.
uint64_t lt_flow(void);

// ---------------------------------------------------------------- data

// The version that `object` (a name id) has in memory; counts from 0.
uint64_t lt_version(uint32_t object);
uint64_t lt_version_next(uint32_t object);
void lt_version_raise(uint32_t object, uint64_t version);

// An object lives in one file, that of its first restore or save, whatever it finds there. A save to
// another path writes a copy, and emits copied, or failed; a restore from another path emits read:
// neither changes what the object's own file is known to hold.

// Writes a temporary file beside `path`, syncs it, renames it, syncs the directory; emits flushing
// and then durable at `level`, or failed. A flushing says too which version is replaced unread by
// other bytes. LT_LEVEL_KERNEL leaves the syncs out, except where the same version is on the disk
// already: a version keeps the level it has reached. An older version that ends late does not
// replace a newer one; its durable has hash 0. A replaced file hands on its permissions (a new file
// has 0600); a symbolic link is followed and stays. A save that fails leaves the old file. Answers
// 0 or an errno.
int lt_save(uint32_t object, uint32_t site, const char *path, const void *bytes, size_t count,
            uint32_t level);
// The same in steps: the version must be known before the bytes are made.
int lt_save_version(uint32_t object, uint32_t site, const char *path, const void *bytes,
                    size_t count, uint32_t level, uint64_t version);
// There were no bytes to save.
void lt_save_not_begun(uint32_t object, uint32_t site, uint64_t version, const char *why);

// `version` needs no save, because its bytes are those that the last save or restore has put or
// found: emits unchanged, at the level that those have reached. It compares nothing: call it after your
// own comparison. Take the version before you compare: a newer one may come meanwhile. False where no
// save or restore of the object is known since it was discarded.
bool lt_data_unchanged(uint32_t object, uint32_t site, uint64_t version);

// For an app that reads and writes the file of an object by itself: a save begins, a version has
// reached a level, one was read back. `hash` is of what the file holds, 0 for unknown.
void lt_data_flushing(uint32_t object, uint32_t site, uint64_t version, uint64_t bytes);
void lt_data_durable(uint32_t object, uint32_t site, uint64_t version, uint32_t level,
                     uint64_t bytes, uint64_t hash);
void lt_data_restored(uint32_t object, uint32_t site, uint64_t version, uint64_t bytes,
                      uint64_t hash);
// Versions up to this one are given up, and what stands in the file with them: say it before the
// file is deleted, and let no other thread save or restore the object between the two: what that
// has found would count as what stands there.
void lt_data_discarded(uint32_t object, uint32_t site, uint64_t version);

// From now on the object lives in `path`: before the first save there, which would be a copy else.
// What stands there is not known. No save of the object is under way meanwhile.
void lt_data_moved(uint32_t object, const char *path);

// Reads `path`; emits restored with the version that was saved there (0: not known, or nothing
// found) and the content's hash. The bytes are malloc'd. Answers 0 or an errno.
int lt_restore(uint32_t object, uint32_t site, const char *path, void **bytes, size_t *count,
               uint64_t *version);

#ifdef __cplusplus
}  // extern "C"
#endif

// `lt_span`, and a macro for each kind of event.
#include "lifetrace_macros.h"
