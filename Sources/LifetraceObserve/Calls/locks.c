// SPDX-License-Identifier: Apache-2.0
//
// Before the functions that lock files.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
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
  lo_span_end(span, "flock", LO_CALLER);
  if (result == 0 && lo_is_on) lo_flocked(file, operation, LO_CALLER);
  return result;
}

typedef int control(int file, int command, ...);

static int control_seldom(control *real, int file, int command, void *argument, uintptr_t caller) {
  bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  lo_span span = waits ? lo_span_begin("fcntl lock", caller) : (lo_span){0, 0, 0};
  int result = real != NULL ? real(file, command, argument)
                            : (int)syscall(SYS_fcntl, file, command, argument);
  lo_span_end(span, "fcntl lock", caller);
  if (result < 0 || !lo_is_on) return result;
  if (waits) lo_range_locked(file, argument, caller);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) lo_duplicated(file, result);
  return result;
}

// Databases lock and unlock a few times a transaction, and do not wait.
static inline int control_often(control *real, int file, int command, void *argument,
                                uintptr_t caller) {
  if (real == NULL || (command != F_SETLK && command != F_OFD_SETLK)) {
    return control_seldom(real, file, command, argument, caller);
  }
  uint64_t begin = lo_time_begin();
  int result = real(file, command, argument);
  lo_time_end(begin, "fcntl lock", LT_WORK_FILE, -1, caller);
  if (result >= 0 && lo_is_on) lo_range_locked(file, argument, caller);
  return result;
}

// The argument is a pointer, a number, or none: the word that stands in its place is handed on as it
// came. A variable argument stands where a third one would.
#define CONTROLS(name)                                                             \
  LO_BEFORE int before_##name(int file, int command, void *argument) __asm__(#name); \
  LO_BEFORE int before_##name(int file, int command, void *argument) {             \
    return control_often(LO_REAL(name), file, command, argument, LO_CALLER);       \
  }
CONTROLS(fcntl)
CONTROLS(fcntl64)

// A lock by fcntl, from where the file stands.
static int lock_part(int (*real)(int, int, off_t), int file, int operation, off_t bytes,
                     uintptr_t caller) {
  lo_span span = lo_span_begin(operation == F_LOCK ? "lockf" : NULL, caller);
  int result = real != NULL ? real(file, operation, bytes) : (errno = EIO, -1);
  lo_span_end(span, "lockf", caller);
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
