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
  void *found = dlsym(RTLD_NEXT, name);
  Dl_info info;
  if (found != NULL || dladdr((void *)caller, &info) == 0 || info.dli_fname == NULL) return found;
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return NULL;
  found = dlsym(library, name);
  dlclose(library);
  return found;
}

// By the caller: two plugins may have brought two of them.
typedef struct known {
  _Atomic uintptr_t caller;
  _Atomic(void *) function;
} known;
enum { known_max = 64 };

static void *real(known table[known_max], const char *name, uintptr_t caller) {
  known *slot = &table[(caller >> 2) % known_max];
  void *function = atomic_load_explicit(&slot->function, memory_order_acquire);
  if (LO_LIKELY(atomic_load_explicit(&slot->caller, memory_order_acquire) == caller &&
                function != NULL)) {
    return function;
  }
  int error = errno;
  function = find(name, caller);
  errno = error;
  // Whoever reads between finds no function, or that of the same caller.
  atomic_store_explicit(&slot->caller, 0, memory_order_release);
  atomic_store_explicit(&slot->function, function, memory_order_release);
  atomic_store_explicit(&slot->caller, caller, memory_order_release);
  return function;
}

// What is called for each row or statement, and is seldom slow, is not timed.
static inline lo_span enter(bool is_timed, uintptr_t caller) {
  lo_span span = is_timed ? lo_span_begin(NULL, caller) : (lo_span){0, 0, 0};
  if (lo_self.database_depth++ == 0) lo_self.database_caller = caller;
  return span;
}

static inline void leave(lo_span span, const char *what, uintptr_t caller) {
  lo_self.database_depth--;
  lo_span_end(span, what, LT_WORK_DATABASE, -1, caller);
}

enum { sqlite_error = 1 };

#define CALLS(name, is_timed, parameters, ...)                                \
  LO_BEFORE int name parameters {                                             \
    static known table[known_max];                                            \
    typedef int function parameters;                                          \
    function *behind = (function *)real(table, #name, LO_CALLER);             \
    if (behind == NULL) return sqlite_error;                                  \
    lo_span span = enter(is_timed, LO_CALLER);                                \
    int result = behind(__VA_ARGS__);                                         \
    leave(span, #name, LO_CALLER);                                            \
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
