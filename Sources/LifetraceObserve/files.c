// SPDX-License-Identifier: Apache-2.0
//
// The files that are followed, and the descriptors that lead to them.
//
// Followed is what is data, what may become data by a rename, and what lies where apps share files.
// Everything else costs one look into a table.

#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

lo_descriptor *lo_descriptors_of;
lo_file lo_files[lo_files_max];
static uint16_t first_of[1024];             // by hash of the path: place plus one
static uint16_t next_of[lo_files_max];
_Atomic uint32_t lo_files_lock;

// Of the SDK's: a futex, and no thread is cancelled while it holds it.
void lt_lock_take(_Atomic uint32_t *lock);
void lt_lock_give(_Atomic uint32_t *lock);
void lt_shield(void);
void lt_unshield(void);
void lo_lock(void) { lt_lock_take(&lo_files_lock); }
void lo_unlock(void) { lt_lock_give(&lo_files_lock); }
void lo_wait_briefly(void) {
  lt_lock_take(&lo_files_lock);
  lt_unshield();
}
void lo_wake_briefly(void) {
  lt_shield();
  lt_lock_give(&lo_files_lock);
}

void lo_files_start(void) {
  void *map = mmap(NULL, lo_descriptors * sizeof(lo_descriptor), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  lo_descriptors_of = map == MAP_FAILED ? NULL : map;
}

// Locks of a process are not its child's; what it has not synced, its parent tells.
void lo_files_in_child(void) {
  for (size_t at = 0; at < lo_files_max; at++) {
    if (lo_files[at].path[0] == 0) continue;
    lo_files[at].name = 0;
    lo_files[at].restored_told = false;
    lo_files[at].is_rewritten = false;
    lo_locks_in_child(&lo_files[at]);
  }
}

// ---------------------------------------------------------------- paths

// Where relative paths begin. It is asked for each time: other threads may change it.
static size_t working_directory(char *to, size_t room) {
  return getcwd(to, room) != NULL && to[0] == '/' ? strlen(to) : 0;
}

static size_t place_of(int descriptor, char *to, size_t room) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, to, room - 1);
  if (count <= 0 || to[0] != '/') return 0;
  to[count] = 0;
  return (size_t)count;
}

bool lo_absolute(int directory, const char *path, char *to, size_t room) {
  size_t used = 0;
  if (path == NULL || path[0] == 0) return false;
  if (path[0] != '/') {
    used = directory == AT_FDCWD ? working_directory(to, room) : place_of(directory, to, room);
    if (used == 0) return false;
    if (used == 1) used = 0;  // the root: its slash comes with the next name
  }
  for (const char *at = path; *at != 0;) {
    at += strspn(at, "/");
    size_t bytes = strcspn(at, "/");
    if (bytes == 2 && at[0] == '.' && at[1] == '.') {
      while (used > 0 && to[--used] != '/') {
      }
    } else if (bytes > 0 && !(bytes == 1 && at[0] == '.')) {
      if (used + bytes + 2 > room) return false;
      to[used++] = '/';
      memcpy(to + used, at, bytes);
      used += bytes;
    }
    at += bytes;
  }
  if (used == 0) to[used++] = '/';
  to[used] = 0;
  return true;
}

// ---------------------------------------------------------------- files

static uint16_t *bucket_of(const char *path) {
  return &first_of[lt_hash(path, strlen(path)) % (sizeof first_of / sizeof *first_of)];
}

lo_file *lo_known_file(const char *path) {
  for (uint16_t at = *bucket_of(path); at != 0; at = next_of[at - 1]) {
    if (strcmp(lo_files[at - 1].path, path) == 0) return &lo_files[at - 1];
  }
  return NULL;
}

static void take_out(lo_file *file) {
  uint16_t place = (uint16_t)(file - lo_files + 1);
  for (uint16_t *at = bucket_of(file->path); *at != 0; at = &next_of[*at - 1]) {
    if (*at != place) continue;
    *at = next_of[place - 1];
    break;
  }
  memset(file, 0, sizeof *file);
}

// Nothing is lost where it is forgotten: no descriptor leads to it, and nothing of it is open.
static bool is_idle(const lo_file *file) {
  if (file->references > 0 || file->is_unsynced || file->needs_folder || file->lock_site != 0) {
    return false;
  }
  for (size_t at = 0; at < lo_files_max; at++) {
    const lo_file *other = &lo_files[at];
    if (other->base == file && other != file && other->references > 0) return false;
  }
  return true;
}

static lo_file *free_place(void) {
  static size_t next;
  for (size_t tried = 0; tried < lo_files_max; tried++) {
    lo_file *file = &lo_files[next++ % lo_files_max];
    if (file->path[0] == 0) return file;
  }
  for (size_t at = 0; at < lo_files_max; at++) {
    if (!is_idle(&lo_files[at])) continue;
    for (size_t other = 0; other < lo_files_max; other++) {
      // Its parts have no descriptors either.
      if (lo_files[other].base == &lo_files[at] && other != at) take_out(&lo_files[other]);
    }
    take_out(&lo_files[at]);
    return &lo_files[at];
  }
  return NULL;
}

static lo_file *make(const char *path, lo_part part, lo_file *base, const lo_below *below) {
  lo_file *file = free_place();
  if (file == NULL) return NULL;
  *file = (lo_file){.part = part, .is_shared = below->is_shared};
  strcpy(file->path, path);
  file->base = base ? base : file;
  file->is_data = base ? base->is_data : lo_is_data(path, below);
  uint16_t *bucket = bucket_of(path);
  next_of[file - lo_files] = *bucket;
  *bucket = (uint16_t)(file - lo_files + 1);
  return file;
}

// The files that SQLite keeps beside a database.
static lo_part part_of(const char *path, size_t *base_bytes) {
  static const struct {
    const char *ending;
    lo_part part;
  } parts[] = {{"-wal", LO_LOG}, {"-shm", LO_SHARED_MEMORY}, {"-journal", LO_JOURNAL}};
  size_t bytes = strlen(path);
  for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) {
    size_t ending = strlen(parts[at].ending);
    if (bytes > ending && strcmp(path + bytes - ending, parts[at].ending) == 0) {
      *base_bytes = bytes - ending;
      return parts[at].part;
    }
  }
  return LO_WHOLE;
}

lo_file *lo_file_named(const char *path) {
  lo_file *known = lo_known_file(path);
  if (known != NULL) return known;
  lo_below below;
  if (strlen(path) >= lo_path_bytes || !lo_find_root(path, &below)) return NULL;
  size_t bytes = 0;
  lo_part part = part_of(path, &bytes);
  if (part != LO_WHOLE) {
    char base_path[lo_path_bytes];
    memcpy(base_path, path, bytes);
    base_path[bytes] = 0;
    lo_file *base = lo_file_named(base_path);
    if (base != NULL && (base->is_data || base->is_shared)) return make(path, part, base, &below);
  }
  return make(path, LO_WHOLE, NULL, &below);
}

// ---------------------------------------------------------------- descriptors

void lo_drop(int descriptor) {
  lo_descriptor *held = &lo_descriptors_of[descriptor];
  uint32_t place = atomic_exchange(&held->file, 0);
  uint32_t flags = atomic_exchange(&held->flags, 0);
  if (place == 0) return;
  lo_file *file = &lo_files[place - 1];
  if (file->references > 0) file->references--;
  if ((flags & LO_FLOCKED) != 0 && file->flocks > 0) file->flocks--;
  if (file->part == LO_LOG && file->references == 0) file->base->is_log_open = false;
}

static lo_file *lead(int descriptor, lo_file *file, uint32_t flags, const struct stat *status) {
  file->device = (uint64_t)status->st_dev;
  file->inode = (uint64_t)status->st_ino;
  file->references++;
  atomic_store(&lo_descriptors_of[descriptor].flags, flags);
  atomic_store(&lo_descriptors_of[descriptor].file, (uint32_t)(file - lo_files + 1));
  return file;
}

// How the file looks before this process writes to it.
static void saw(lo_file *file, const struct stat *status) {
  file->size_seen = (uint64_t)status->st_size;
  file->time_seen =
      (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
}

static void begin(int descriptor, const char *path, int flags, uintptr_t caller) {
  struct stat status;
  lo_below below;
  bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (strlen(path) >= lo_path_bytes || !lo_find_root(path, &below)) return;
  if (!writes && !below.is_shared && !lo_has_data) return;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  // A program reads many files elsewhere (its modules): they take no places.
  if (!writes && below.is_elsewhere && !lo_is_data(path, &below)) return;
  lo_lock();
  lo_file *file = lo_file_named(path);
  if (file == NULL || (!writes && !file->is_shared && !file->is_data)) {
    lo_unlock();
    return;
  }
  bool empties = file->is_data && writes && (flags & O_TRUNC) != 0;
  uint32_t kept = (writes ? LO_WRITABLE : 0) | ((flags & (O_SYNC | O_DSYNC)) != 0 ? LO_SYNCS : 0) |
                  (empties ? LO_EMPTIED : 0);
  lead(descriptor, file, kept, &status);
  saw(file, &status);
  if (file->part == LO_LOG) {
    file->base->is_log_open = true;
    lo_locks_log_opened(file->base, caller);
  }
  if (file->is_data && file->part == LO_WHOLE && (flags & O_TRUNC) == 0) {
    lo_tell_restored(file, descriptor, caller);
  }
  // What stood there is gone.
  if (empties && status.st_nlink > 0 && (flags & O_EXCL) == 0) {
    file->time_seen = 0;
    lo_emptied(file, caller);
  }
  lo_unlock();
}

void lo_opened(int descriptor, int directory, const char *path, int flags, uintptr_t caller) {
  if (descriptor < 0 || descriptor >= lo_descriptors || !lo_enter()) return;
  char absolute[4096];
  lo_look_at_role();
  if (lo_descriptors_of[descriptor].file != 0) {
    lo_lock();
    lo_drop(descriptor);
    lo_unlock();
  }
  if ((flags & O_DIRECTORY) == 0 && lo_absolute(directory, path, absolute, sizeof absolute)) {
    begin(descriptor, absolute, flags, caller);
  }
  lo_leave();
}

lo_file *lo_adopt_slow(int descriptor) {
  char path[4096];
  struct stat status;
  lo_file *file = NULL;
  if ((unsigned)descriptor >= lo_descriptors) return NULL;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0) {
    return NULL;
  }
  if (place_of(descriptor, path, sizeof path) == 0) return NULL;
  lo_lock();
  file = lo_file_named(path);
  if (file != NULL) {
    if (file->references == 0) saw(file, &status);
    lead(descriptor, file, LO_WRITABLE, &status);
  }
  lo_unlock();
  return file;
}

void lo_closing(int descriptor, uintptr_t caller) {
  lo_file *file = lo_file_of(descriptor);
  if (file == NULL || !lo_enter()) return;
  lo_look_again(file, descriptor, caller);
  lo_lock();
  lo_rewrite_closed(file, descriptor, atomic_load(&lo_descriptors_of[descriptor].flags), caller);
  lo_drop(descriptor);
  lo_locks_closed(file, caller);
  lo_unlock();
  lo_leave();
}

void lo_missed(int directory, const char *path, uintptr_t caller) {
  if (!lo_has_data || !lo_enter()) return;
  int error = errno;
  char absolute[4096];
  if (lo_absolute(directory, path, absolute, sizeof absolute) && strlen(absolute) < lo_path_bytes) {
    lo_tell_missing(absolute, caller);
  }
  errno = error;
  lo_leave();
}

void lo_duplicated(int from, int to) {
  if (from == to || to < 0 || to >= lo_descriptors) return;
  bool concerns = lo_file_of(from) != NULL || lo_file_of(to) != NULL;
  if (!concerns || !lo_enter()) return;
  lo_lock();
  lo_drop(to);
  lo_file *file = lo_file_of(from);
  if (file != NULL) {
    uint32_t flags = atomic_load(&lo_descriptors_of[from].flags);
    struct stat status = {.st_dev = (dev_t)file->device, .st_ino = (ino_t)file->inode};
    lead(to, file, flags, &status);
    if ((flags & LO_FLOCKED) != 0) file->flocks++;
  }
  lo_unlock();
  lo_leave();
}

void lo_move_descriptors(lo_file *from, lo_file *to) {
  uint32_t old = (uint32_t)(from - lo_files + 1), new = (uint32_t)(to - lo_files + 1);
  // Most temporary files are closed before they are renamed.
  for (uint32_t at = 0; at < lo_descriptors && from->references > 0; at++) {
    if (!atomic_compare_exchange_strong(&lo_descriptors_of[at].file, &(uint32_t){old}, new)) continue;
    from->references--;
    to->references++;
  }
}
