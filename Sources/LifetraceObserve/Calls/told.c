// SPDX-License-Identifier: Apache-2.0
//
// Each call that changes a data file, told as a span: before it is made, and behind what it has done.
// `lifetrace explore --observe` ends a process at one of these, in the middle of a save.
//
// Nobody else wants them: they are told where the recorder asks for them alone.

#include "observe.h"

#include <stdio.h>
#include <unistd.h>

// The thread is ours: the span of a call that is made of a file of that path.
static lo_call begin(const char *what, const char *path, const char *named, uintptr_t caller) {
  lo_call call = {0, 0};
  lo_below below;
  char text[lo_path_bytes + 32];
  if (!lo_find_root(path, &below) || !lo_sdk()->is_recorded(true)) return call;
  snprintf(text, sizeof text, "%s of %s", what, named != NULL ? named : below.path);
  call.id = lo_sdk()->next_id();
  call.site = lo_site_of(text, caller);
  lo_emit(LT_KIND_WORK_BEGIN, call.site, call.id, 1, LT_WORK_FILE, 0, 0, 0);
  return call;
}

lo_call lo_call_on_file_slow(const lo_file *file, const char *what, uintptr_t caller) {
  lo_call call = {0, 0};
  if (file->part == LO_SHARED_MEMORY || (file->is_shared && !file->base->is_data)) return call;
  if (!lo_enter()) return call;
  call = begin(what, file->path, NULL, caller);
  lo_leave();
  return call;
}

lo_call lo_call_on_folder_slow(int descriptor, const char *what, uintptr_t caller) {
  lo_call call = {0, 0};
  char link[32], folder[4096];
  if (!lo_enter()) return call;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, folder, sizeof folder - 2);
  if (count > 0 && folder[0] == '/') {
    // A root is found by what is below it.
    strcpy(folder + count, "/");
    call = begin(what, folder, "the folder", caller);
  }
  lo_leave();
  return call;
}

static bool is_data(const char *path) {
  lo_below below;
  return lo_find_root(path, &below) && lo_is_data(path, &below);
}

// What is renamed into the place of data, or away from there, has the name of the data.
lo_call lo_call_on_paths_slow(int from_folder, const char *from, int to_folder, const char *to,
                              const char *what, uintptr_t caller) {
  lo_call call = {0, 0};
  char before[4096], after[4096];
  if (!lo_has_data || !lo_enter()) return call;
  bool has_before = from != NULL && lo_absolute(from_folder, from, before, sizeof before);
  bool has_after = to != NULL && lo_absolute(to_folder, to, after, sizeof after);
  if (has_after && is_data(after)) {
    call = begin(what, after, NULL, caller);
  } else if (has_before && is_data(before)) {
    call = begin(what, before, NULL, caller);
  }
  lo_leave();
  return call;
}

void lo_call_end_slow(lo_call call) {
  if (!lo_enter()) return;
  lo_emit(LT_KIND_WORK_END, call.site, call.id, 0, 0, 0, 0, 0);
  lo_leave();
}
