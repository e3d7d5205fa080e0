// SPDX-License-Identifier: Apache-2.0
//
// Before the calls of SQLite in which it works with files, where it is linked dynamically: what it
// does there is told at the line that has called SQLite, and on main as one span of database work.

#include "observe.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

// A library that a plugin has brought along is not found behind us, but among what the plugin needs.
static void *find(const char *name, uintptr_t caller) {
  Dl_info info;
  if (dladdr((void *)caller, &info) == 0 || info.dli_fname == NULL) return NULL;
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return NULL;
  void *found = dlsym(library, name);
  dlclose(library);
  return found;
}

// What a call of SQLite's leads to: behind us for every caller, or by the caller, as two plugins may
// have brought two of them.
enum { known_max = 64 };
typedef struct known {
  _Atomic(void *) behind;
  struct {
    _Atomic uintptr_t caller;
    _Atomic(void *) function;
  } by_caller[known_max];
} known;

static void *look_up(known *known, const char *name, uintptr_t caller) {
  _Atomic uintptr_t *key = &known->by_caller[(caller >> 2) % known_max].caller;
  _Atomic(void *) *slot = &known->by_caller[(caller >> 2) % known_max].function;
  void *function = atomic_load_explicit(slot, memory_order_acquire);
  if (LO_LIKELY(atomic_load_explicit(key, memory_order_acquire) == caller && function != NULL)) {
    return function;
  }
  int error = errno;
  void *behind = dlsym(RTLD_NEXT, name);
  function = behind != NULL ? behind : find(name, caller);
  errno = error;
  if (behind != NULL) {
    atomic_store_explicit(&known->behind, behind, memory_order_relaxed);
    return behind;
  }
  // Whoever reads between finds no function, or that of the same caller.
  atomic_store_explicit(key, 0, memory_order_release);
  atomic_store_explicit(slot, function, memory_order_release);
  atomic_store_explicit(key, caller, memory_order_release);
  return function;
}

static inline void *real(known *known, const char *name, uintptr_t caller) {
  void *behind = atomic_load_explicit(&known->behind, memory_order_relaxed);
  return LO_LIKELY(behind != NULL) ? behind : look_up(known, name, caller);
}

// What is called for each row or statement, and is seldom slow, is not timed.
static inline uint64_t enter(bool is_timed, uintptr_t caller) {
  uint64_t begin = is_timed ? lo_time_begin() : 0;
  if (lo_self.database_depth++ == 0) lo_self.database_caller = caller;
  return begin;
}

static inline void leave(uint64_t begin, const char *what, uintptr_t caller) {
  lo_self.database_depth--;
  lo_time_end(begin, what, LT_WORK_DATABASE, -1, caller);
}

enum { sqlite_error = 1 };

#define CALLS(name, is_timed, parameters, ...)                                \
  LO_BEFORE int name parameters {                                             \
    static known known_here;                                                  \
    typedef int function parameters;                                          \
    function *behind = (function *)real(&known_here, #name, LO_CALLER);       \
    if (behind == NULL) return sqlite_error;                                  \
    uint64_t begin = enter(is_timed, LO_CALLER);                              \
    int result = behind(__VA_ARGS__);                                         \
    leave(begin, #name, LO_CALLER);                                           \
    return result;                                                            \
  }

CALLS(sqlite3_step, true, (void *statement), statement)
CALLS(sqlite3_exec, true,
      (void *database, const char *sql, int (*row)(void *, int, char **, char **), void *context,
       char **message),
      database, sql, row, context, message)
CALLS(sqlite3_prepare_v2, false,
      (void *database, const char *sql, int bytes, void **statement, const char **rest), database,
      sql, bytes, statement, rest)
CALLS(sqlite3_prepare_v3, false,
      (void *database, const char *sql, int bytes, unsigned flags, void **statement,
       const char **rest),
      database, sql, bytes, flags, statement, rest)
CALLS(sqlite3_reset, false, (void *statement), statement)
CALLS(sqlite3_finalize, false, (void *statement), statement)
CALLS(sqlite3_close, true, (void *database), database)
CALLS(sqlite3_close_v2, true, (void *database), database)
CALLS(sqlite3_backup_step, true, (void *backup, int pages), backup, pages)
CALLS(sqlite3_wal_checkpoint_v2, true,
      (void *database, const char *name, int mode, int *in_log, int *done), database, name, mode,
      in_log, done)
