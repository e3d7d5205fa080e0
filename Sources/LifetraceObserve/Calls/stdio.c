// SPDX-License-Identifier: Apache-2.0
//
// Before the streams of stdio, which write inside the C library: what they have written is found by
// looking at the file when they are flushed and closed.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static int flags_of(const char *mode) {
  int flags = strchr(mode, '+') != NULL ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  return mode[0] == 'w' ? flags | O_TRUNC : flags;
}

static FILE *open_stream(FILE *(*real)(const char *, const char *), const char *path,
                         const char *mode, uintptr_t caller) {
  uint64_t begin = lo_time_begin();
  lo_call call = lo_is_on && (flags_of(mode) & O_TRUNC) != 0
                     ? lo_call_on_paths(AT_FDCWD, NULL, AT_FDCWD, path, "truncation", caller)
                     : (lo_call){0, 0};
  FILE *stream = real != NULL ? real(path, mode) : NULL;
  if (lo_is_on && stream != NULL) lo_opened(fileno(stream), AT_FDCWD, path, flags_of(mode), caller);
  if (lo_is_on && stream == NULL && errno == ENOENT && mode[0] == 'r') lo_missed(AT_FDCWD, path, caller);
  lo_call_end(call);
  lo_time_end(begin, "fopen", LT_WORK_FILE, -1, caller);
  return stream;
}

LO_BEFORE FILE *fopen(const char *path, const char *mode) {
  return open_stream(LO_REAL(fopen), path, mode, LO_CALLER);
}
LO_BEFORE FILE *fopen64(const char *path, const char *mode) {
  return open_stream(LO_REAL(fopen64), path, mode, LO_CALLER);
}

// The file that the stream may have written to; NULL for one that only reads.
static lo_file *written(int number) {
  lo_file *file = lo_file_of(number);
  if (file == NULL) return NULL;
  uint32_t flags =
      atomic_load_explicit(&lo_descriptors_of[number].flags, memory_order_relaxed);
  return (flags & LO_WRITABLE) != 0 ? file : NULL;
}

LO_BEFORE int fflush(FILE *stream) {
  __typeof__(&fflush) real = LO_REAL(fflush);
  int number = stream != NULL && lo_is_on ? fileno(stream) : -1;
  uint64_t begin = lo_time_begin();
  lo_file *file = lo_file_of(number);
  lo_call call = lo_call_on_file(written(number), "flush", LO_CALLER);
  int result = real != NULL ? real(stream) : EOF;
  if (file != NULL && lo_enter()) {
    lo_look_again(file, number, LO_CALLER);
    lo_leave();
  }
  lo_call_end(call);
  lo_time_end(begin, "fflush", LT_WORK_FILE, number, LO_CALLER);
  return result;
}

// The buffer is written by the close itself, so the look is behind it, at what has the file's name.
LO_BEFORE int fclose(FILE *stream) {
  __typeof__(&fclose) real = LO_REAL(fclose);
  int number = lo_is_on && stream != NULL ? fileno(stream) : -1;
  uint64_t begin = lo_time_begin();
  lo_call call = lo_call_on_file(written(number), "close", LO_CALLER);
  lo_stream held = lo_stream_closing(number);
  int result = real != NULL ? real(stream) : EOF;
  lo_stream_closed(held, LO_CALLER);
  lo_call_end(call);
  lo_time_end(begin, "fclose", LT_WORK_FILE, -1, LO_CALLER);
  return result;
}
