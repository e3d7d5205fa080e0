// SPDX-License-Identifier: Apache-2.0
//
// Before the functions that open, write and close.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#undef open
#undef open64

// The mode is there where a file may be made.
#define MODE_OF(flags)                                                          \
  ({                                                                            \
    mode_t lo_mode = 0;                                                         \
    if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) {       \
      va_list lo_rest;                                                          \
      va_start(lo_rest, flags);                                                 \
      lo_mode = va_arg(lo_rest, mode_t);                                        \
      va_end(lo_rest);                                                          \
    }                                                                           \
    lo_mode;                                                                    \
  })

static int open_at(int (*real)(int, const char *, int, ...), int directory, const char *path,
                   int flags, mode_t mode, uintptr_t caller) {
  uint64_t begin = lo_time_begin();
  bool truncates = lo_is_on && (flags & O_TRUNC) != 0 && (flags & O_ACCMODE) != O_RDONLY;
  lo_call call = truncates ? lo_call_on_paths(AT_FDCWD, NULL, directory, path, "truncation", caller)
                           : (lo_call){0, 0};
  // An allocator opens files while the dynamic linker looks up our functions.
  int file = real != NULL ? real(directory, path, flags, mode)
                          : (int)syscall(SYS_openat, directory, path, flags, mode);
  if (lo_is_on && file >= 0) lo_opened(file, directory, path, flags, caller);
  if (lo_is_on && file < 0 && errno == ENOENT && (flags & O_CREAT) == 0) {
    lo_missed(directory, path, caller);
  }
  lo_call_end(call);
  lo_time_end(begin, "open", LT_WORK_FILE, file, caller);
  return file;
}

LO_BEFORE int openat(int directory, const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return open_at(LO_REAL(openat), directory, path, flags, mode, LO_CALLER);
}
LO_BEFORE int openat64(int directory, const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return open_at(LO_REAL(openat64), directory, path, flags, mode, LO_CALLER);
}
LO_BEFORE int open(const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return open_at(LO_REAL(openat), AT_FDCWD, path, flags, mode, LO_CALLER);
}
LO_BEFORE int open64(const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return open_at(LO_REAL(openat64), AT_FDCWD, path, flags, mode, LO_CALLER);
}
LO_BEFORE int creat(const char *path, mode_t mode) {
  return open_at(LO_REAL(openat), AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, LO_CALLER);
}
LO_BEFORE int creat64(const char *path, mode_t mode) {
  return open_at(LO_REAL(openat64), AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, LO_CALLER);
}
// What a fortified program calls: flags that need no mode.
LO_BEFORE int __open_2(const char *path, int flags) {
  return open_at(LO_REAL(openat), AT_FDCWD, path, flags, 0, LO_CALLER);
}
LO_BEFORE int __open64_2(const char *path, int flags) {
  return open_at(LO_REAL(openat64), AT_FDCWD, path, flags, 0, LO_CALLER);
}
LO_BEFORE int __openat_2(int directory, const char *path, int flags) {
  return open_at(LO_REAL(openat), directory, path, flags, 0, LO_CALLER);
}
LO_BEFORE int __openat64_2(int directory, const char *path, int flags) {
  return open_at(LO_REAL(openat64), directory, path, flags, 0, LO_CALLER);
}

// ---------------------------------------------------------------- reads and writes

// `fallback` is for a thread whose functions are being looked up.
#define READS(type, name, work, fallback, descriptor, parameters, ...) \
  LO_BEFORE type name parameters {                                     \
    uint64_t begin = lo_time_begin();                                  \
    __typeof__(&name) real = LO_REAL(name);                            \
    type result = real != NULL ? real(__VA_ARGS__) : (type)(fallback); \
    lo_time_end(begin, work, LT_WORK_FILE, descriptor, LO_CALLER);     \
    return result;                                                     \
  }

#define WRITES(type, name, work, fallback, is_done, descriptor, parameters, ...) \
  LO_BEFORE type name parameters {                                               \
    lo_file *file = lo_file_of(descriptor);                                      \
    uint64_t begin = lo_time_begin();                                            \
    lo_call call = lo_call_on_file(file, work, LO_CALLER);                       \
    __typeof__(&name) real = LO_REAL(name);                                      \
    type result = real != NULL ? real(__VA_ARGS__) : (type)(fallback);           \
    if (file != NULL && (is_done)) lo_wrote(file, descriptor, LO_CALLER);        \
    if (file != NULL && result < 0) lo_write_failed(file, descriptor, errno, LO_CALLER); \
    lo_call_end(call);                                                           \
    lo_time_end(begin, work, LT_WORK_FILE, descriptor, LO_CALLER);               \
    return result;                                                               \
  }

READS(ssize_t, read, "read", syscall(SYS_read, file, bytes, count), file,
      (int file, void *bytes, size_t count), file, bytes, count)
READS(ssize_t, pread, "read", syscall(SYS_pread64, file, bytes, count, at), file,
      (int file, void *bytes, size_t count, off_t at), file, bytes, count, at)
READS(ssize_t, pread64, "read", syscall(SYS_pread64, file, bytes, count, at), file,
      (int file, void *bytes, size_t count, off64_t at), file, bytes, count, at)
READS(ssize_t, readv, "read", syscall(SYS_readv, file, parts, count), file,
      (int file, const struct iovec *parts, int count), file, parts, count)

WRITES(ssize_t, write, "write", syscall(SYS_write, to, bytes, count), result > 0, to,
       (int to, const void *bytes, size_t count), to, bytes, count)
WRITES(ssize_t, pwrite, "write", syscall(SYS_pwrite64, to, bytes, count, at), result > 0, to,
       (int to, const void *bytes, size_t count, off_t at), to, bytes, count, at)
WRITES(ssize_t, pwrite64, "write", syscall(SYS_pwrite64, to, bytes, count, at), result > 0, to,
       (int to, const void *bytes, size_t count, off64_t at), to, bytes, count, at)
WRITES(ssize_t, writev, "write", syscall(SYS_writev, to, parts, count), result > 0, to,
       (int to, const struct iovec *parts, int count), to, parts, count)
WRITES(ssize_t, pwritev, "write", (errno = ENOSYS, -1), result > 0, to,
       (int to, const struct iovec *parts, int count, off_t at), to, parts, count, at)
WRITES(ssize_t, pwritev64, "write", (errno = ENOSYS, -1), result > 0, to,
       (int to, const struct iovec *parts, int count, off64_t at), to, parts, count, at)
WRITES(ssize_t, sendfile, "write", (errno = ENOSYS, -1), result > 0, to,
       (int to, int from, off_t *at, size_t count), to, from, at, count)
WRITES(ssize_t, sendfile64, "write", (errno = ENOSYS, -1), result > 0, to,
       (int to, int from, off64_t *at, size_t count), to, from, at, count)
WRITES(ssize_t, copy_file_range, "write", (errno = ENOSYS, -1), result > 0, to,
       (int from, off64_t *at, int to, off64_t *to_at, size_t count, unsigned flags), from, at, to,
       to_at, count, flags)
WRITES(int, ftruncate, "truncate", syscall(SYS_ftruncate, to, length), result == 0, to,
       (int to, off_t length), to, length)
WRITES(int, ftruncate64, "truncate", syscall(SYS_ftruncate, to, length), result == 0, to,
       (int to, off64_t length), to, length)

// ---------------------------------------------------------------- descriptors

LO_BEFORE int close(int file) {
  lo_closing(file, LO_CALLER);
  __typeof__(&close) real = LO_REAL(close);
  return real != NULL ? real(file) : (int)syscall(SYS_close, file);
}

static void close_many(unsigned first, unsigned last, uintptr_t caller) {
  for (unsigned at = first; lo_is_on && at <= last && at < lo_descriptors; at++) {
    if (lo_file_of((int)at) != NULL) lo_closing((int)at, caller);
  }
}

LO_BEFORE int close_range(unsigned first, unsigned last, int flags) {
  enum { close_on_exec = 4 };
  if ((flags & close_on_exec) == 0) close_many(first, last, LO_CALLER);
  __typeof__(&close_range) real = LO_REAL(close_range);
  return real != NULL ? real(first, last, flags) : (errno = ENOSYS, -1);
}
LO_BEFORE void closefrom(int first) {
  close_many(first < 0 ? 0 : (unsigned)first, ~0u, LO_CALLER);
  __typeof__(&closefrom) real = LO_REAL(closefrom);
  if (real != NULL) real(first);
}

LO_BEFORE int dup(int file) {
  __typeof__(&dup) real = LO_REAL(dup);
  int to = real != NULL ? real(file) : (int)syscall(SYS_dup, file);
  lo_duplicated(file, to);
  return to;
}
// What `to` led to is closed, so it is looked at before.
LO_BEFORE int dup2(int file, int to) {
  if (file != to) lo_closing(to, LO_CALLER);
  __typeof__(&dup2) real = LO_REAL(dup2);
  int result = real != NULL ? real(file, to) : (int)syscall(SYS_dup3, file, to, 0);
  lo_duplicated(file, result);
  return result;
}
LO_BEFORE int dup3(int file, int to, int flags) {
  if (file != to) lo_closing(to, LO_CALLER);
  __typeof__(&dup3) real = LO_REAL(dup3);
  int result = real != NULL ? real(file, to, flags) : (int)syscall(SYS_dup3, file, to, flags);
  lo_duplicated(file, result);
  return result;
}
