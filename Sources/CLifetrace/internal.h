// SPDX-License-Identifier: Apache-2.0
//
// Declarations that the files of this target share, hidden from all others.

#pragma once

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lifetrace.h"
#include "lifetrace_simulation.h"

// The state of this process as a writer. It lives in the page that is wiped on fork, so a child
// starts with nothing of its parent's: no lock held, no pool.
typedef struct lt_process {
  _Atomic uint32_t lock;           // a futex: 0 free, 1 held, 2 held and waited for
  _Atomic uint32_t save_lock;      // held while a saved file takes its place, and of what stands there
  uint32_t clock_kind;
  lt_pool_header *pool;
  uint8_t *blocks;
  const lt_session *session;
  _Atomic uint32_t blocks_limit;   // as many as this pool will ever have
  _Atomic uint32_t cursor;         // where the search for a free block begins
  _Atomic uint32_t parked[16];     // blocks that ended threads left half empty: index plus one
  _Atomic uint64_t stale_beat;     // the recorder's last heartbeat plus one, once it stood still
  uint64_t tables_ready;           // bytes of the tables that can be written without a fault
  uint64_t tables_copied;          // bytes of the arena that are in the pool
  _Atomic uint64_t end_left;       // it ends itself behind the event that this counts down to; 0: never
  uint8_t end_kind;                // counting events of this kind; 0 for all
  char end_name[192];              // with this name in them; empty for all
} lt_process;

_Static_assert(sizeof(lt_process) <= sizeof(((lt_control_page *)0)->process), "fits its page");

static inline lt_process *lt_this_process(void) { return (lt_process *)lt_control.process; }

static inline uint64_t lt_control_value(void) {
  return atomic_load_explicit(&lt_control.word, memory_order_acquire);
}

// Free in every fork child, because it lies in the wiped page.
void lt_lock_take(_Atomic uint32_t *lock);
void lt_lock_give(_Atomic uint32_t *lock);
// The lock of the pool and the names.
void lt_lock(void);
void lt_unlock(void);

// control.c
uint64_t lt_decide(void);
void lt_sinks_listen(void);
// Between these a thread is not cancelled: it would leave a lock held, or a file half written.
// They nest; the state that the app had set comes back with the last.
void lt_shield(void);
void lt_unshield(void);

// join.c
uint64_t lt_join_locked(void);

// pool.c
// A pool file that is sized, reserved and filled in but for its header; NULL where there is no room.
typedef struct lt_made_pool {
  lt_pool_header *header;
  uint32_t blocks_max;
} lt_made_pool;
bool lt_pool_make(const char *session, const char *name, uint64_t bytes_max, uint64_t tables_bytes,
                  lt_made_pool *made);
bool lt_pool_publish(const char *session, const char *name);
// Gives back what was made, where it could not be published.
void lt_pool_discard(const char *session, const char *name);
// Makes memory of the pool writable without a fault, whatever the file system does later.
bool lt_pool_reserve(int file, uint8_t *base, uint64_t offset, uint64_t bytes);
bool lt_pool_grow(uint32_t seen_ready);
bool lt_pool_reserve_tables(uint64_t bytes);

// block.c
void lt_thread_reset(lt_thread *thread, uint64_t epoch);
bool lt_block_claim(lt_thread *thread, bool goes_on);
void lt_block_return(lt_thread *thread);
static inline lt_block *lt_block_at(uint32_t index) {
  return (lt_block *)(lt_this_process()->blocks + (size_t)index * LT_BLOCK_BYTES);
}
// The last eighth is for the families that go on.
static inline uint32_t lt_ordinary_blocks(uint32_t ready) {
  return ready < 2 ? ready : ready - (ready < 8 ? 1 : ready / 8);
}

// emit.c
// A record as it is, with its own tick and observer; a tick of 0 is now.
void lt_emit_record(const lt_record *event);

// families.c
uint8_t lt_family_of(uint8_t kind);
bool lt_family_goes_on(uint8_t family);

// names.c: the tables in process memory are byte for byte what stands in the pool.
#define LT_TABLES_BYTES (4u << 20)
#define LT_NAMES_MAX 131072u
#define LT_STRING_BYTES_MAX 4096u
uint64_t lt_tables_used(void);
const uint8_t *lt_tables_bytes(void);
uint32_t lt_site_of_entry(const lt_site_entry *entry);

// clock.c
uint64_t lt_tick(void);
uint64_t lt_tick_ordered(void);
uint64_t lt_clock_ns(int clock);

// identity.c
void lt_identity_fill(lt_pool_header *pool);

// version_note.c
typedef enum lt_noting { LT_NOTED, LT_NOTE_BESIDE, LT_NOTE_FAILED } lt_noting;
lt_noting lt_note_version(int file, const char *path, uint64_t version, uint64_t hash);
bool lt_note_beside(const char *path, uint64_t version, uint64_t hash);
uint64_t lt_noted_version(int file, const char *path, uint64_t hash);
// What the note of the file says, whether or not it is of the content that stands there; 0 for none.
uint64_t lt_note_of(int file, const char *path, uint64_t *hash);

// temporary.c A new file beside `target`, open for writing and locked; its path in `path`. -1 with
// errno. It is closed when it was renamed or removed, not before: a file without a lock is taken
// for dead.
int lt_temporary_open(const char *target, char *path, size_t room);

// What a file holds.
typedef struct lt_content {
  uint64_t hash;   // 0 for unknown
  uint64_t bytes;
  uint32_t level;  // that it is known to have reached
} lt_content;

// Which file a path leads to; two places are the same where either is equal.
typedef struct lt_place {
  uint64_t path;  // hash of it
  uint64_t node;  // hash of the directory's device and inode, and the name; 0 for unknown
} lt_place;

// How a file looks; all zeros where that is not known.
typedef struct lt_look {
  uint64_t node, bytes, time;
} lt_look;

// What is known of a data object; all but the first under the save lock.
typedef struct lt_object {
  _Atomic uint64_t version;  // the latest in memory
  lt_place home;             // the file that it lives in: of the first restore or save; zeros for none
  char *home_path;           // its path, malloc'd; NULL for none
  lt_place former;           // where it lived until it was given up and made anew; zeros for nowhere
  uint64_t given_up;         // the version up to which it was given up, and no save has come since
  uint64_t saved_version;    // the latest that took its place there
  uint64_t changes;          // how often what stands there has become something else
  lt_content standing;       // what the last save or restore has put or found there
  uint64_t known_hash;       // of what this process has last read there or put there
  lt_look known_look;        // of the file, when that stood there; zeros where the app has used it itself
  bool is_synced;            // its bytes are on the disk, or may be
  bool is_moved;             // the app has said that it lives there, and no look has told what stands there
  bool is_given_up;          // all of it was given up, and no save has come since
} lt_object;

// object.c
lt_look lt_look_of(int file);
lt_object *lt_object_of(uint32_t name);
// `target` is no symbolic link.
lt_place lt_place_of(const char *target);
// Whether the object lives at `target`; it does from now on, if it has lived nowhere. Under the save lock.
bool lt_object_lives_at(lt_object *object, lt_place place, const char *target);
// Whether it comes to live there with a save of `version`: it was given up, its file has gone since, and
// this is a new one; or it has lived there before that. Under the save lock.
bool lt_object_is_made_anew(const lt_object *object, lt_place place, uint64_t version);
// Such a save has taken its place.
void lt_object_resettle(lt_object *object, lt_place place, const char *target);
// It has moved there: nothing is known of what stands there. Under the save lock.
void lt_object_move(lt_object *object, lt_place place, const char *target);
// A save that has failed was not the first.
void lt_object_unsettle(lt_object *object);
void lt_data_emit(uint8_t kind, uint32_t site, uint32_t object, uint8_t count, uint64_t a0,
                  uint64_t a1, uint64_t a2, uint64_t a3);

// ending.c
void lt_ending_arm(void);
void lt_end_behind(const lt_record *record);
static inline bool lt_ends_behind_an_event(void) {
  return atomic_load_explicit(&lt_this_process()->end_left, memory_order_relaxed) != 0;
}

// sink.c
void lt_sink_deliver(lt_sink *sink, const lt_record *event);
uint64_t lt_sink_now_ns(lt_sink *sink);
uint64_t lt_sink_id(lt_sink *sink);
_Atomic uint64_t *lt_sink_hlc(lt_sink *sink);
lt_object *lt_sink_object(lt_sink *sink, uint32_t object);
