// SPDX-License-Identifier: Apache-2.0
//
// The locks that this process holds on files in a container that apps share, as far as another process
// would wait for them.
//
// A database in WAL mode keeps a shared lock for as long as it is open: only a transaction counts
// there, which holds bytes 120 to 127 of the shared memory's file, or a lock for writing.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

static const int64_t sqlite_first = 0x40000000, sqlite_last = 0x40000000 + 511;

static inline bool is_held(const lo_file *base) {
  if (base->ranges_lost) return false;
  bool database = (base->sqlite_main & 0x70) != 0 ||
                  ((base->sqlite_main & 7) != 0 && !base->is_log_open) || base->sqlite_shm != 0;
  return base->flocks > 0 || base->ranges > 0 || database;
}

// Under the lock; `held` is what is to be told.
static void tell_held(lo_file *base, bool held, const char *what, uintptr_t caller) {
  if (base->is_exempt || !base->is_shared || !lo_sdk()->is_recorded(true)) return;
  static uint32_t shared;
  if (shared == 0) shared = lo_sdk()->name("shared", strlen("shared"));
  uint32_t name = lo_name_of(base);
  if (held) {
    base->lock_site = lo_site(what, caller);
    lo_emit(LT_KIND_RESOURCE_ACQUIRE, base->lock_site, name, 2, LT_RESOURCE_LOCK, shared, 0, 0);
  } else {
    lo_emit(LT_KIND_RESOURCE_RELEASE, lo_site(what, caller), name, 2, LT_RESOURCE_LOCK, shared, 0, 0);
    base->lock_site = 0;
  }
}

static inline void tell(lo_file *base, const char *what, uintptr_t caller) {
  bool held = is_held(base);
  if (held != (base->lock_site != 0)) tell_held(base, held, what, caller);
}

// A system that kills for locks leaves such a file alone.
static inline void look_for_exemption(lo_file *base, int descriptor) {
  char value[8];
  if (base->lock_site != 0) return;
  ssize_t count = fgetxattr(descriptor, "user.com.apple.runningboard.can-suspend-locked", value,
                            sizeof value);
  base->is_exempt = count >= 0 || errno == ERANGE;
}

void lo_flocked(int descriptor, int operation, uintptr_t caller) {
  if (!lo_has_shared || !lo_enter()) return;
  lo_file *file = lo_adopt(descriptor);
  if (file != NULL && file->base->is_shared) {
    look_for_exemption(file->base, descriptor);
    lo_lock();
    _Atomic uint32_t *flags = &lo_descriptors_of[descriptor].flags;
    if ((operation & LOCK_UN) != 0) {
      // All descriptors of the open file have it no more.
      if ((atomic_load(flags) & LO_FLOCKED) != 0) file->flocks = 0;
      uint32_t left = file->references;
      for (int at = 0; at < lo_descriptors && left > 0; at++) {
        if (lo_file_of(at) != file) continue;
        atomic_fetch_and(&lo_descriptors_of[at].flags, ~(uint32_t)LO_FLOCKED);
        left--;
      }
    } else if ((atomic_fetch_or(flags, LO_FLOCKED) & LO_FLOCKED) == 0) {
      file->flocks++;
    }
    tell(file, "flock", caller);
    lo_unlock();
  }
  lo_leave();
}

// ---------------------------------------------------------------- ranges

// Seldom: databases lock bytes that are known.
__attribute__((noinline)) static void remove_range(lo_file *file, int64_t first, int64_t last) {
  lo_range kept[2 * lo_ranges_max];
  uint32_t count = 0;
  for (uint32_t at = 0; at < file->ranges; at++) {
    lo_range old = file->range[at];
    if (old.last < first || old.first > last) {
      kept[count++] = old;
      continue;
    }
    if (old.first < first) kept[count++] = (lo_range){old.first, first - 1};
    if (old.last > last) kept[count++] = (lo_range){last + 1, old.last};
  }
  if (count > lo_ranges_max) {
    file->ranges_lost = true;
    count = lo_ranges_max;
  }
  memcpy(file->range, kept, count * sizeof *kept);
  file->ranges = count;
}

static void add_range(lo_file *file, int64_t first, int64_t last) {
  remove_range(file, first, last);
  if (file->ranges == lo_ranges_max) {
    file->ranges_lost = true;
  } else {
    file->range[file->ranges++] = (lo_range){first, last};
  }
}

// Which of the bytes `from` to `to` lie in the range, a bit each.
static uint32_t bits(int64_t first, int64_t last, int64_t from, int64_t to) {
  if (first < from) first = from;
  if (last > to) last = to;
  return first > last ? 0 : ((2u << (last - first)) - 1) << (first - from);
}

// The bytes by which a database is locked: pending, reserved, and the many of the shared one as a third.
static inline void take_database(lo_file *base, short type, int64_t first, int64_t last) {
  uint32_t marks = bits(first, last, sqlite_first, sqlite_first + 1);
  if (last > sqlite_first + 1 && first <= sqlite_last) marks |= 4;
  base->sqlite_main &= ~(marks | marks << 4);
  if (type == F_RDLCK) base->sqlite_main |= marks;
  if (type == F_WRLCK) base->sqlite_main |= marks | marks << 4;
}

static inline void take_range(lo_file *file, short type, int64_t first, int64_t last) {
  lo_file *base = file->base;
  if (file->part == LO_SHARED_MEMORY) {
    uint32_t marks = bits(first, last, 120, 127);
    base->sqlite_shm = type == F_UNLCK ? base->sqlite_shm & ~marks : base->sqlite_shm | marks;
    return;
  }
  if (file->part != LO_WHOLE) return;
  bool is_database = first >= sqlite_first && last <= sqlite_last;
  if (is_database || type == F_UNLCK) take_database(base, type, first, last);
  if (LO_LIKELY(is_database)) return;
  if (type != F_UNLCK) {
    add_range(base, first, last);
  } else if (base->ranges > 0) {
    remove_range(base, first, last);
  }
}

// Where the file stands is not known any more; where its end is, is.
__attribute__((noinline)) static int64_t begin_of(int descriptor, const struct flock *lock) {
  struct stat status;
  int64_t first = lock->l_start;
  if (lock->l_whence == SEEK_END && fstat(descriptor, &status) == 0) first += status.st_size;
  if (lock->l_whence == SEEK_CUR) first += lseek(descriptor, 0, SEEK_CUR);
  return first;
}

void lo_range_locked(int descriptor, const struct flock *lock, uintptr_t caller) {
  if (!lo_has_shared || !lo_enter()) return;
  lo_file *file = lo_adopt(descriptor);
  if (file != NULL && file->base->is_shared) {
    int64_t first = lock->l_whence == SEEK_SET ? lock->l_start : begin_of(descriptor, lock);
    int64_t last = lock->l_len > 0 ? first + lock->l_len - 1 : INT64_MAX;
    if (lock->l_len < 0) {
      last = first - 1;
      first += lock->l_len;
    }
    if (lock->l_type != F_UNLCK) look_for_exemption(file->base, descriptor);
    lo_lock_briefly();
    take_range(file, lock->l_type, first, last);
    tell(file->base, "fcntl lock", caller);
    lo_unlock_briefly();
  }
  lo_leave();
}

static void drop(lo_file *file) {
  lo_file *base = file->base;
  if (file->part == LO_SHARED_MEMORY) base->sqlite_shm = 0;
  if (file->part != LO_WHOLE) return;
  base->sqlite_main = 0;
  base->ranges = 0;
}

void lo_locks_closed(lo_file *file, uintptr_t caller) {
  drop(file);
  tell(file->base, "close", caller);
}

void lo_locks_log_opened(lo_file *base, uintptr_t caller) { tell(base, "open", caller); }

void lo_locks_in_child(lo_file *file) {
  drop(file);
  // Of a lock on the whole file it holds a share, which its parent reports.
  file->lock_site = 0;
}
