// SPDX-License-Identifier: Apache-2.0
//
// Before the functions that lock files.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#undef fcntl
#undef fcntl64

LO_BEFORE int flock(int file, int operation) {
  bool waits = (operation & (LOCK_NB | LOCK_UN)) == 0;
  __typeof__(&flock) real = LO_REAL(flock);
  lo_span span = lo_span_begin(waits ? "flock" : NULL, LO_CALLER);
  int result = real != NULL ? real(file, operation) : (int)syscall(SYS_flock, file, operation);
  lo_span_end(span, "flock", LT_WORK_FILE, -1, LO_CALLER);
  if (result == 0 && lo_is_on) lo_flocked(file, operation, LO_CALLER);
  return result;
}

static int control(int (*real)(int, int, ...), int file, int command, void *argument,
                   uintptr_t caller) {
  bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  bool locks = waits || command == F_SETLK || command == F_OFD_SETLK;
  lo_span span = locks ? lo_span_begin(waits ? "fcntl lock" : NULL, caller) : (lo_span){0, 0, 0};
  int result = real != NULL ? real(file, command, argument)
                            : (int)syscall(SYS_fcntl, file, command, argument);
  lo_span_end(span, "fcntl lock", LT_WORK_FILE, -1, caller);
  if (result < 0 || !lo_is_on) return result;
  if (locks) lo_range_locked(file, argument, caller);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) lo_duplicated(file, result);
  return result;
}

// The argument is a pointer, a number, or none: a word is handed on as it came.
#define ARGUMENT_OF(command)           \
  ({                                   \
    va_list lo_rest;                   \
    va_start(lo_rest, command);        \
    void *lo_word = va_arg(lo_rest, void *); \
    va_end(lo_rest);                   \
    lo_word;                           \
  })

LO_BEFORE int fcntl(int file, int command, ...) {
  void *argument = ARGUMENT_OF(command);
  return control(LO_REAL(fcntl), file, command, argument, LO_CALLER);
}
LO_BEFORE int fcntl64(int file, int command, ...) {
  void *argument = ARGUMENT_OF(command);
  return control(LO_REAL(fcntl64), file, command, argument, LO_CALLER);
}

// A lock by fcntl, from where the file stands.
static int lock_part(int (*real)(int, int, off_t), int file, int operation, off_t bytes,
                     uintptr_t caller) {
  lo_span span = lo_span_begin(operation == F_LOCK ? "lockf" : NULL, caller);
  int result = real != NULL ? real(file, operation, bytes) : (errno = EIO, -1);
  lo_span_end(span, "lockf", LT_WORK_FILE, -1, caller);
  if (result != 0 || !lo_is_on || operation == F_TEST) return result;
  struct flock lock = {.l_type = operation == F_ULOCK ? F_UNLCK : F_WRLCK,
                       .l_whence = SEEK_CUR, .l_len = bytes};
  lo_range_locked(file, &lock, caller);
  return result;
}
LO_BEFORE int lockf(int file, int operation, off_t bytes) {
  return lock_part(LO_REAL(lockf), file, operation, bytes, LO_CALLER);
}
LO_BEFORE int lockf64(int file, int operation, off64_t bytes) {
  return lock_part(LO_REAL(lockf64), file, operation, bytes, LO_CALLER);
}
