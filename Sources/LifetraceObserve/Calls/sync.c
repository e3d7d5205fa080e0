// SPDX-License-Identifier: Apache-2.0
//
// Before what makes writes durable, and what gives files their names.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int sync_file(int (*real)(int), int file, const char *what, uintptr_t caller) {
  lo_sync sync = lo_syncing(file, caller);
  lo_call call = sync.is_folder && lo_tells_calls ? lo_call_on_folder_slow(file, what, caller)
                                                  : lo_call_on_file(sync.file, what, caller);
  lo_span span = call.id != 0 ? (lo_span){0, 0, 0} : lo_span_begin(what, caller);
  int result = real != NULL ? real(file) : (errno = EIO, -1);
  lo_span_end(span, what, caller);
  lo_synced(sync, file, result == 0 ? 0 : errno, caller);
  lo_call_end(call);
  return result;
}

LO_BEFORE int fsync(int file) { return sync_file(LO_REAL(fsync), file, "fsync", LO_CALLER); }
LO_BEFORE int fdatasync(int file) {
  return sync_file(LO_REAL(fdatasync), file, "fdatasync", LO_CALLER);
}
LO_BEFORE int syncfs(int file) {
  __typeof__(&syncfs) real = LO_REAL(syncfs);
  lo_span span = lo_span_begin("syncfs", LO_CALLER);
  int result = real != NULL ? real(file) : (errno = EIO, -1);
  lo_span_end(span, "syncfs", LO_CALLER);
  if (result == 0) lo_synced_all(LO_CALLER);
  return result;
}
LO_BEFORE void sync(void) {
  __typeof__(&sync) real = LO_REAL(sync);
  lo_span span = lo_span_begin("sync", LO_CALLER);
  if (real != NULL) real();
  lo_span_end(span, "sync", LO_CALLER);
  lo_synced_all(LO_CALLER);
}
// Which file a mapping is of is not followed; how long main waits is.
LO_BEFORE int msync(void *start, size_t bytes, int flags) {
  __typeof__(&msync) real = LO_REAL(msync);
  lo_span span = lo_span_begin((flags & MS_SYNC) != 0 ? "msync" : NULL, LO_CALLER);
  int result = real != NULL ? real(start, bytes, flags) : (errno = EIO, -1);
  lo_span_end(span, "msync", LO_CALLER);
  return result;
}

// ---------------------------------------------------------------- names

// What the SDK of the program saves it reports itself: that a pattern of `data` names it is noted all the same.
static void note_match(int folder, const char *path) {
  char whole[4096];
  lo_below below;
  int error = errno;
  if (path != NULL && lo_is_on && lo_absolute(folder, path, whole, sizeof whole) &&
      lo_find_root(whole, &below)) {
    (void)lo_is_data(whole, &below);
  }
  errno = error;
}

// What a call has done to a name; `from` is NULL where the file was known by none.
static void named(int result, int from_folder, const char *from, int to_folder, const char *to,
                  uintptr_t caller) {
  char before[4096], after[4096];
  if (result != 0 || !lo_has_data) return;
  if (!lo_enter()) return note_match(to_folder, to);
  bool has_before = from != NULL && lo_absolute(from_folder, from, before, sizeof before);
  bool has_after = to != NULL && lo_absolute(to_folder, to, after, sizeof after);
  lo_leave();
  if (has_after) {
    lo_renamed(has_before ? before : NULL, after, caller);
  } else if (has_before && to == NULL) {
    lo_removed(before, caller);
  }
}

#define NAMES(name, what, from_folder, from, to_folder, to, parameters, ...) \
  LO_BEFORE int name parameters {                                            \
    uint64_t begin = lo_time_begin();                                        \
    lo_call call = !lo_is_on ? (lo_call){0, 0}                               \
                             : lo_call_on_paths(from_folder, from, to_folder, to, what, LO_CALLER); \
    __typeof__(&name) real = LO_REAL(name);                                  \
    int result = real != NULL ? real(__VA_ARGS__) : (errno = EIO, -1);       \
    named(result, from_folder, from, to_folder, to, LO_CALLER);              \
    lo_call_end(call);                                                       \
    lo_time_end(begin, what, LT_WORK_FILE, -1, LO_CALLER);                   \
    return result;                                                           \
  }

NAMES(rename, "rename", AT_FDCWD, from, AT_FDCWD, to, (const char *from, const char *to), from, to)
NAMES(renameat, "rename", folder, from, to_folder, to,
      (int folder, const char *from, int to_folder, const char *to), folder, from, to_folder, to)
NAMES(renameat2, "rename", folder, from, to_folder, to,
      (int folder, const char *from, int to_folder, const char *to, unsigned flags), folder, from,
      to_folder, to, flags)
NAMES(link, "link", AT_FDCWD, NULL, AT_FDCWD, to, (const char *from, const char *to), from, to)
NAMES(linkat, "link", AT_FDCWD, NULL, to_folder, to,
      (int folder, const char *from, int to_folder, const char *to, int flags), folder, from,
      to_folder, to, flags)
NAMES(unlink, "unlink", AT_FDCWD, path, AT_FDCWD, NULL, (const char *path), path)
NAMES(unlinkat, "unlink", folder, path, AT_FDCWD, NULL, (int folder, const char *path, int flags),
      folder, path, flags)
NAMES(remove, "unlink", AT_FDCWD, path, AT_FDCWD, NULL, (const char *path), path)
