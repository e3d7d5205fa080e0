// SPDX-License-Identifier: Apache-2.0
//
// What the files of this library share. All of it is hidden from the program: only the functions that
// stand before others are not, see `LO_BEFORE`.

#pragma once

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <lifetrace.h>
#include <lifetrace_observed.h>

// A function of the program's libraries before which ours stands.
#define LO_BEFORE __attribute__((visibility("default")))
#define LO_LIKELY(x) __builtin_expect(!!(x), 1)
// The line of the program that has called us.
#define LO_CALLER ((uintptr_t)__builtin_return_address(0))

// ---------------------------------------------------------------- real.c

// The function of that name behind ours. NULL while this thread is being told, or where there is none.
void *lo_real(_Atomic(void *) *known, const char *name);
#define LO_REAL(function)                                            \
  ({                                                                 \
    static _Atomic(void *) lo_known;                                 \
    void *lo_found = atomic_load_explicit(&lo_known, memory_order_relaxed); \
    if (lo_found == NULL) lo_found = lo_real(&lo_known, #function);  \
    (__typeof__(&function))lo_found;                                 \
  })

// ---------------------------------------------------------------- start.c

// What a thread is in the middle of. Small: it lies in the static TLS block.
typedef struct lo_thread {
  uint16_t depth;          // in what this library does itself: calls from there go straight on
  uint16_t database_depth; // in calls of SQLite
  uint8_t is_main;         // 0 not asked yet, 1 main, 2 another
  bool in_vfork;           // a child of vfork runs in this memory
  bool is_resolving;
  bool has_locked;         // for a fork
  int error;               // errno, as the program has it
  uintptr_t database_caller;
} lo_thread;
extern _Thread_local lo_thread lo_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Where a thread is, at one look: both depths and `is_main`, which lie in front. 0: it is in nothing of
// ours or of SQLite's, and nobody has asked yet which thread it is.
static const uint64_t lo_on_main = 1ull << 32;
static inline uint64_t lo_where(void) {
  uint64_t where;
  memcpy(&where, &lo_self, sizeof where);
  return where & ((1ull << 40) - 1);
}
_Static_assert(offsetof(lo_thread, is_main) == 4 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "what stands in front");

// Whether anything is observed at all: the recorder asked for it. Constant after the start.
extern bool lo_is_on;
// The pool that is written to: the SDK's of the program, else that of our own copy.
extern _Atomic(const lt_observed *) lo_sdk_now;
static inline const lt_observed *lo_sdk(void) {
  return atomic_load_explicit(&lo_sdk_now, memory_order_acquire);
}
// Main begins: from here on things are reported.
void lo_begin(void);
// Whether what happens now is the program's doing, and may be reported.
static inline bool lo_is_open(void) {
  return lo_is_on && lo_self.depth == 0 && !lo_self.in_vfork;
}
// Between these the thread is this library's; `leave` restores errno. `enter` answers false where it is somebody else's
// already: in the SDK, or in a signal handler that has interrupted us.
bool lo_enter(void);
void lo_leave(void);

// ---------------------------------------------------------------- roots.c

// The folders and patterns of the recording, see OBSERVE.md.
void lo_roots_read(const char *text);
enum { lo_patterns_max = 64 };  // a bit each
extern bool lo_has_data;
// Whether there is a folder that apps share: only there does anybody else wait for a lock.
extern bool lo_has_shared;
// Whether each call that changes data is told.
extern bool lo_tells_calls;
// The pid of the recorder that launches apps, 0 for none.
extern uint32_t lo_recorder;

// The part of an absolute path below a folder of the recording; the path itself for a file elsewhere.
// `is_shared` where the folder is a container that apps share.
typedef struct lo_below {
  const char *path;
  bool is_shared;
  bool is_elsewhere;
  const char *root_name;  // what stands before `path` in names, "" for nothing
} lo_below;
// False where no file there is looked at.
bool lo_find_root(const char *path, lo_below *below);
// Whether a pattern of `data` names it, which is noted for the recorder.
bool lo_is_data(const char *path, const lo_below *below);

// ---------------------------------------------------------------- files.c

enum {
  lo_descriptors = 65536,  // larger ones are not followed
  lo_files_max = 1024,
  lo_path_bytes = 512,
  lo_ranges_max = 8,
};

// Which part of an object a file is. A database is one object with its write-ahead log.
typedef enum lo_part { LO_WHOLE, LO_LOG, LO_SHARED_MEMORY, LO_JOURNAL } lo_part;

// A locked part of a file, both ends in it.
typedef struct lo_range {
  int64_t first, last;
} lo_range;

// A file that is followed. All of it under the lock, but for `is_unsynced`, which a write looks at.
typedef struct lo_file {
  char path[lo_path_bytes];  // absolute; empty: the place is free
  uint32_t name;             // of `path` in the pool, or as the root names it; 0: not yet asked
  uint32_t references;       // descriptors
  uint64_t device, inode;
  struct lo_file *base;      // the database whose part it is, else itself
  lo_part part;
  bool is_data, is_shared, is_exempt;
  // The ledger, of the base.
  _Atomic bool is_unsynced;  // written since its last sync
  bool needs_folder;         // renamed or removed since its folder was synced
  bool is_log_open;          // the database has a write-ahead log: that is what is written to
  bool restored_told;
  bool is_rewritten;         // emptied, and not closed since: a save in place is under way
  bool is_failed;            // its last write was refused: what stands there is no version
  uint64_t version;
  uint64_t known;            // the newest version that this process has made or looked at
  uint64_t unread;           // the one before its own, where it had not; else 0
  uint64_t size_seen, time_seen;  // for a file whose writes are not all seen
  // Locks. For the base of a database, those of all its parts.
  uint32_t flocks;        // descriptors through which it is locked as a whole
  uint32_t sqlite_main;   // of a database: pending, reserved, shared; four bits on for writing
  uint32_t sqlite_shm;    // of its shared memory: bytes 120 to 127
  uint32_t ranges;        // locks on other bytes, of this process
  bool ranges_lost;       // more than there is room for: nothing is said of its locks any more
  lo_range range[lo_ranges_max];
  uint32_t lock_site;     // of the acquire that was told; 0: none is
} lo_file;

// The file behind a descriptor, NULL for one that is not followed.
typedef struct lo_descriptor {
  _Atomic uint32_t file;   // its place plus one
  _Atomic uint32_t flags;  // lo_descriptor_flags
} lo_descriptor;
enum lo_descriptor_flags {
  LO_WRITABLE = 1,
  LO_WRITE_SEEN = 2,  // a write through it was seen since it was opened
  LO_SYNCS = 4,       // opened with O_SYNC or O_DSYNC
  LO_FLOCKED = 8,
  LO_EMPTIED = 16,  // opened with O_TRUNC
};
extern lo_descriptor *lo_descriptors_of;
extern lo_file lo_files[lo_files_max];
static inline lo_file *lo_file_at(uint32_t place) { return &lo_files[place]; }

static inline lo_file *lo_file_of(int descriptor) {
  if (!lo_is_on || (unsigned)descriptor >= lo_descriptors) return NULL;
  uint32_t place =
      atomic_load_explicit(&lo_descriptors_of[descriptor].file, memory_order_relaxed);
  return LO_LIKELY(place == 0) ? NULL : lo_file_at(place - 1);
}

// The lock on all that. Its owner is not cancelled; `briefly` is for what makes no system call
// meanwhile, at which a cancellation would come.
extern _Atomic uint32_t lo_files_lock;
void lo_lock(void);
void lo_unlock(void);
void lo_wait_briefly(void);
static inline void lo_lock_briefly(void) {
  uint32_t seen = 0;
  if (!LO_LIKELY(atomic_compare_exchange_strong(&lo_files_lock, &seen, 1))) lo_wait_briefly();
}
void lo_wake_briefly(void);
static inline void lo_unlock_briefly(void) {
  uint32_t seen = 1;
  if (!LO_LIKELY(atomic_compare_exchange_strong(&lo_files_lock, &seen, 0))) lo_wake_briefly();
}
void lo_files_start(void);
void lo_files_in_child(void);

// The absolute path of what `directory` and `path` name, without "." and ".." in it.
bool lo_absolute(int directory, const char *path, char *to, size_t room);
// Follows what was opened, if it is of interest.
void lo_opened(int descriptor, int directory, const char *path, int flags, uintptr_t caller);
// The same for one that could not be opened, where nothing is at the path.
void lo_missed(int directory, const char *path, uintptr_t caller);
// The file behind a descriptor, also where it was opened unseen: by stdio, or before us.
lo_file *lo_adopt_slow(int descriptor);
static inline lo_file *lo_adopt(int descriptor) {
  lo_file *file = lo_file_of(descriptor);
  return LO_LIKELY(file != NULL) ? file : lo_adopt_slow(descriptor);
}
void lo_closing(int descriptor, uintptr_t caller);
void lo_duplicated(int from, int to);
// Under the lock: the descriptor leads nowhere any more.
void lo_drop(int descriptor);
// Known by its path already, or NULL; both under the lock.
lo_file *lo_known_file(const char *path);
lo_file *lo_file_named(const char *path);
// Under the lock: what was opened as one file has the name of another now.
void lo_move_descriptors(lo_file *from, lo_file *to);

// ---------------------------------------------------------------- versions.c

void lo_ledger_start(void);
// Notes that this pattern of `data`, by its number from 0, has matched a file.
void lo_ledger_matched(uint32_t pattern);
// The newest version of an object, over all processes.
uint64_t lo_newest_version(const lo_file *base);
// The next one.
void lo_number_version(lo_file *base);
// Whether any version is known of the object in that file.
bool lo_has_versions(const char *path);
// The file is gone: the next version replaces nothing.
void lo_mark_removed(const lo_file *base);
// How the file looks now is how it looks with its version, and with what the disk has of it.
void lo_keep_look(lo_file *base, int descriptor, bool synced);
void lo_forget_looks(const lo_file *base);
// The version that a file which looks so holds; 0 for not known.
uint64_t lo_version_by_look(const lo_file *base, const struct stat *status);
// Whether a save of it is known to empty the file, write it anew and close it.
bool lo_is_rewritten_often(const lo_file *base);
void lo_count_rewrite(const lo_file *base);

// ---------------------------------------------------------------- ledger.c

// Under the lock, both: a file was emptied to be written anew, and closed. The descriptor may be -1.
void lo_emptied(lo_file *file, uintptr_t caller);
void lo_rewrite_closed(lo_file *file, int descriptor, uint32_t flags, uintptr_t caller);
void lo_wrote_slow(lo_file *file, int descriptor, uintptr_t caller);
// What every write does: most find that the object is known to be unsynced.
static inline void lo_wrote(lo_file *file, int descriptor, uintptr_t caller) {
  uint32_t flags =
      atomic_load_explicit(&lo_descriptors_of[descriptor].flags, memory_order_relaxed);
  bool known = atomic_load_explicit(&file->base->is_unsynced, memory_order_relaxed);
  if (LO_LIKELY(known && (flags & (LO_WRITE_SEEN | LO_SYNCS)) == LO_WRITE_SEEN)) return;
  lo_wrote_slow(file, descriptor, caller);
}
// A write has failed with `error`.
void lo_write_failed(lo_file *file, int descriptor, int error, uintptr_t caller);
// A file whose writes were not seen may have changed.
void lo_look_again(lo_file *file, int descriptor, uintptr_t caller);
// The same for a stream, whose last bytes are written by its close.
typedef struct lo_stream {
  lo_file *file;
  uint32_t flags;
} lo_stream;
lo_stream lo_stream_closing(int descriptor);
void lo_stream_closed(lo_stream stream, uintptr_t caller);
// A sync: what was written before `lo_syncing` is on the disk when `lo_synced` hears of success.
typedef struct lo_sync {
  lo_file *file;
  uint64_t version;
  bool was_unsynced;
  bool is_folder;
} lo_sync;
lo_sync lo_syncing(int descriptor, uintptr_t caller);
void lo_synced(lo_sync sync, int descriptor, int error, uintptr_t caller);
// Everything: sync(2).
void lo_synced_all(uintptr_t caller);
void lo_renamed(const char *from, const char *to, uintptr_t caller);
void lo_removed(const char *path, uintptr_t caller);
// Under the lock: what was read back when a file of an earlier process is opened.
void lo_tell_restored(lo_file *file, int descriptor, uintptr_t caller);
// It was looked for, and nothing is there.
void lo_tell_missing(const char *path, uintptr_t caller);

// ---------------------------------------------------------------- held.c

struct flock;
void lo_flocked(int descriptor, int operation, uintptr_t caller);
// After a lock was set or given up: `is_open_file` for those of F_OFD_SETLK.
void lo_range_locked(int descriptor, const struct flock *lock, uintptr_t caller);
// Under the lock: closing any descriptor gives up what the process holds on the file.
void lo_locks_closed(lo_file *file, uintptr_t caller);
void lo_locks_in_child(lo_file *file);
// Under the lock: a database turns out to have a write-ahead log.
void lo_locks_log_opened(lo_file *base, uintptr_t caller);

// ---------------------------------------------------------------- Calls/told.c

// A call that is told; `id` 0: it is not.
typedef struct lo_call {
  uint64_t id;
  uint32_t site;
} lo_call;
lo_call lo_call_on_file_slow(const lo_file *file, const char *what, uintptr_t caller);
static inline lo_call lo_call_on_file(const lo_file *file, const char *what, uintptr_t caller) {
  if (LO_LIKELY(file == NULL || !lo_tells_calls)) return (lo_call){0, 0};
  return lo_call_on_file_slow(file, what, caller);
}
lo_call lo_call_on_folder_slow(int descriptor, const char *what, uintptr_t caller);
// `from` or `to` may be NULL.
lo_call lo_call_on_paths_slow(int from_folder, const char *from, int to_folder, const char *to,
                              const char *what, uintptr_t caller);
static inline lo_call lo_call_on_paths(int from_folder, const char *from, int to_folder,
                                       const char *to, const char *what, uintptr_t caller) {
  if (LO_LIKELY(!lo_tells_calls)) return (lo_call){0, 0};
  return lo_call_on_paths_slow(from_folder, from, to_folder, to, what, caller);
}
void lo_call_end_slow(lo_call call);
static inline void lo_call_end(lo_call call) {
  if (call.id != 0) lo_call_end_slow(call);
}

// ---------------------------------------------------------------- tell.c, caller.c

uint32_t lo_name_of(lo_file *file);
// `what` is a literal.
uint32_t lo_site(const char *what, uintptr_t caller);
// The same for a text that is none; slower.
uint32_t lo_site_of(const char *what, uintptr_t caller);
bool lo_is_main(void);
void lo_emit(uint8_t kind, uint32_t site, uint64_t identity, uint8_t count, uint64_t a0,
             uint64_t a1, uint64_t a2, uint64_t a3);
void lo_caller_start(void);

//
// Nothing of main is timed; or it is, by the counter itself, or by whatever clock the pool has.
typedef enum lo_timing { LO_NOT_TIMED, LO_BY_COUNTER, LO_BY_CLOCK } lo_timing;
extern _Atomic int lo_times_main;
// Spans that are shorter are no news.
extern uint64_t lo_news_ticks;

// What main does: told at its end, where it has taken long. 0 where nothing is timed: what SQLite does
// with files is one call of the program's, and no span of its own.
uint64_t lo_time_begin_slow(void);
void lo_time_end_slow(uint64_t begin, const char *what, int work, int descriptor, uintptr_t caller);
static inline uint64_t lo_time_begin(void) {
  int timing = atomic_load_explicit(&lo_times_main, memory_order_relaxed);
  if (LO_LIKELY(timing == LO_NOT_TIMED)) return 0;
  uint64_t where = lo_where();
  if (LO_LIKELY(where == lo_on_main && timing == LO_BY_COUNTER)) return lt_counter() | 1;
  return where == lo_on_main || where == 0 ? lo_time_begin_slow() : 0;
}
// `descriptor` is -1 where it is known to be file access.
static inline void lo_time_end(uint64_t begin, const char *what, int work, int descriptor,
                               uintptr_t caller) {
  if (begin == 0) return;
  bool counts = atomic_load_explicit(&lo_times_main, memory_order_relaxed) == LO_BY_COUNTER;
  if (LO_LIKELY(counts && lt_counter() - begin < lo_news_ticks)) return;
  lo_time_end_slow(begin, what, work, descriptor, caller);
}

// What is slow by nature, `live`, is told as it begins, so that an end in the middle is seen. NULL for
// a call that does not wait: then it is as above.
typedef struct lo_span {
  uint64_t begin;
  uint64_t id;
  uint32_t site;
} lo_span;
lo_span lo_span_begin_slow(const char *live, uintptr_t caller);
void lo_span_end_slow(lo_span span);
static inline lo_span lo_span_begin(const char *live, uintptr_t caller) {
  if (LO_LIKELY(live == NULL)) return (lo_span){lo_time_begin(), 0, 0};
  int timing = atomic_load_explicit(&lo_times_main, memory_order_relaxed);
  uint64_t where = lo_where();
  if (timing == LO_NOT_TIMED || (where != 0 && where != lo_on_main)) return (lo_span){0, 0, 0};
  return lo_span_begin_slow(live, caller);
}
static inline void lo_span_end(lo_span span, const char *what, uintptr_t caller) {
  if (span.begin == 0) return;
  if (span.id == 0) return lo_time_end(span.begin, what, LT_WORK_FILE, -1, caller);
  lo_span_end_slow(span);
}
void lo_time_main(void);
// Behind what may have had the SDK join.
void lo_look_at_role(void);
