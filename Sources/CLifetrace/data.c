// SPDX-License-Identifier: Apache-2.0
//
// The versions of data objects in memory, and a save and a restore that tell the truth about them.

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static lt_object objects[LT_NAMES_MAX];

// On Apple platforms fsync hands the bytes to the drive, which may keep them in its cache; only
// F_FULLFSYNC asks the drive for them. (Written for Apple platforms; untested there.)
static int sync_file(int file) {
#if defined(__APPLE__)
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;
  // Some file systems, such as those of a network, have only the other.
#endif
  return fsync(file);
}

static lt_object *known(uint32_t name) {
  if (lt_tls.sink) return lt_sink_object(lt_tls.sink, name);
  return &objects[name < LT_NAMES_MAX ? name : 0];
}

uint64_t lt_version(uint32_t object) { return atomic_load(&known(object)->version); }
uint64_t lt_version_next(uint32_t object) {
  return atomic_fetch_add(&known(object)->version, 1) + 1;
}

void lt_version_raise(uint32_t object, uint64_t version) {
  _Atomic uint64_t *held = &known(object)->version;
  uint64_t seen = atomic_load(held);
  while (seen < version && !atomic_compare_exchange_weak(held, &seen, version)) {
  }
}

static void emit(uint8_t kind, uint32_t site, uint32_t object, uint8_t count, uint64_t a0,
                 uint64_t a1, uint64_t a2, uint64_t a3) {
  lt_emit(kind, site, object, count, a0, a1, a2, a3);
}

void lt_save_failed(uint32_t object, uint32_t site, uint64_t version, int error, const char *why) {
  emit(LT_KIND_DATA_FAILED, site, object, 3, version, (uint64_t)error, lt_name(why), 0);
}

static bool write_all(int file, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

static int open_directory(const char *path) {
  char directory[4096];
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  size_t count = slash == path ? 1 : (size_t)(slash - path);
  if (count >= sizeof directory) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(directory, path, count);
  directory[count] = 0;
  return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Where a symbolic link leads, whether anything stands there or not; any other path as it is.
static bool follow_links(const char *path, char *to, size_t room) {
  enum { links_max = 40 };
  char link[4096];
  size_t bytes = strlen(path);
  for (int links = 0; bytes < room && links <= links_max; links++) {
    if (links == 0) memcpy(to, path, bytes + 1);
    ssize_t count = readlink(to, link, sizeof link);
    if (count < 0) return true;
    // Relative to the directory in which the link stands.
    char *slash = link[0] == '/' ? NULL : strrchr(to, '/');
    size_t kept = slash ? (size_t)(slash + 1 - to) : 0;
    bytes = kept + (size_t)count;
    if (bytes >= room) break;
    memcpy(to + kept, link, (size_t)count);
    to[bytes] = 0;
  }
  errno = bytes < room ? ELOOP : ENAMETOOLONG;
  return false;
}

// Two threads may save one object at once: the older version never replaces the newer one.
//
// Nor does an unsynced file replace a synced one of the same version: a power cut would take what a
// save has promised to be on the disk. `file` is the temporary one.
//
// The step that failed, or NULL; errno says why. `beside` is for a version that the file does not keep.
static const char *take_place(const char *temporary, int file, bool synced, const char *path,
                              uint64_t version, lt_content content, bool beside,
                              lt_object *object, bool *superseded) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  uint64_t path_hash = lt_hash(path, strlen(path));
  lt_lock_take(lock);
  while (!synced && object->is_synced && object->saved_path == path_hash &&
         object->saved_version == version) {
    lt_lock_give(lock);
    if (sync_file(file) != 0) return "fsync";
    synced = true;
    lt_lock_take(lock);
  }
  *superseded = object->saved_path == path_hash && object->saved_version > version;
  const char *step = NULL;
  if (*superseded) {
    if (unlink(temporary) != 0) step = "rename";
  } else if (beside && !lt_note_beside(path, version, content.hash)) {
    step = "version";
  } else if (rename(temporary, path) != 0) {
    step = "rename";
  }
  int error = errno;
  if (step == NULL && !*superseded) {
    object->saved_path = path_hash;
    object->saved_version = version;
    object->standing = content;
    object->standing.level = LT_LEVEL_KERNEL;
    object->is_synced = synced;
  }
  lt_lock_give(lock);
  errno = error;
  return step;
}

// The step that failed, or NULL; errno says why.
static const char *write_new(const char *path, const void *bytes, bool sync, uint64_t version,
                             lt_content content, lt_object *object, bool *superseded) {
  char temporary[4096];
  int file = lt_temporary_open(path, temporary, sizeof temporary);
  if (file < 0) return "open";
  // Closed before the rename, for an error that comes no earlier; the lock lasts until after it.
  int lock = fcntl(file, F_DUPFD_CLOEXEC, 0);
  int error = errno;
  if (lock < 0) {
    unlink(temporary);
    close(file);
    errno = error;
    return "open";
  }
  // A save keeps the permissions of what it replaces, whatever the umask is. A file system that
  // has none is no reason to lose the data.
  struct stat replaced;
  if (stat(path, &replaced) == 0) (void)fchmod(file, replaced.st_mode & 0777);
  const char *step = NULL;
  lt_noting noting = LT_NOTED;
  if (!write_all(file, bytes, content.bytes)) {
    step = "write";
  } else if ((noting = lt_note_version(file, path, version, content.hash)) == LT_NOTE_FAILED) {
    step = "version";
  } else if (sync && sync_file(file) != 0) {
    step = "fsync";
  }
  error = errno;
  if (close(file) != 0 && step == NULL) {
    step = "close";
    error = errno;
  }
  if (step == NULL) {
    bool beside = noting == LT_NOTE_BESIDE;
    step = take_place(temporary, lock, sync, path, version, content, beside, object, superseded);
    error = errno;
  }
  if (step != NULL) unlink(temporary);
  close(lock);
  errno = error;
  return step;
}

// The rename itself survives a power cut once its directory is on disk.
static bool sync_place(const char *path, uint64_t version, lt_object *object) {
  int directory = open_directory(path);
  bool synced = directory >= 0 && sync_file(directory) == 0;
  int error = errno;
  if (directory >= 0) close(directory);
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  if (synced && object->saved_version == version) object->standing.level = LT_LEVEL_DISK;
  lt_lock_give(lock);
  errno = error;
  return synced;
}

int lt_save_version(uint32_t object, uint32_t site, const char *path, const void *bytes,
                    size_t count, uint32_t level, uint64_t version) {
  // A thread that is cancelled meanwhile ends after the save, not in the middle of it.
  lt_shield();
  char target[4096];
  bool sync = level >= LT_LEVEL_DISK;
  lt_content content = {lt_hash(bytes, count), count, 0};
  emit(LT_KIND_DATA_FLUSHING, site, object, 2, version, count, 0, 0);

  const char *step = "open";
  bool superseded = false;
  int error = 0;
  if (!follow_links(path, target, sizeof target)) {
    error = errno;
  } else {
    step = write_new(target, bytes, sync, version, content, known(object), &superseded);
    error = errno;
  }
  uint32_t reached = LT_LEVEL_KERNEL;
  bool placed = step == NULL;
  if (placed && sync) {
    if (sync_place(target, version, known(object))) {
      reached = LT_LEVEL_DISK;
    } else {
      step = "fsync directory";
      error = errno;
    }
  }
  // What stands there now would survive a purge, even if the rest of the save has failed.
  if (placed) {
    emit(LT_KIND_DATA_DURABLE, site, object, 4, version, reached, count,
         superseded ? 0 : content.hash);
  }
  if (step != NULL) lt_save_failed(object, site, version, error, step);
  lt_unshield();
  return step == NULL ? 0 : error ? error : EIO;
}

int lt_save(uint32_t object, uint32_t site, const char *path, const void *bytes, size_t count,
            uint32_t level) {
  lt_version_raise(object, 1);
  return lt_save_version(object, site, path, bytes, count, level, lt_version(object));
}

bool lt_data_unchanged(uint32_t object, uint32_t site, uint64_t version) {
  // Many objects, of which only the last that was saved would be known.
  if (object == LT_NAME_LOST) return false;
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_object *held = known(object);
  lt_lock_take(lock);
  lt_content standing = held->standing;
  // A save of an older version that is under way must not replace it any more.
  if (standing.hash != 0 && held->saved_version < version) held->saved_version = version;
  // Before such a save can say that it has been superseded.
  if (standing.hash != 0) {
    emit(LT_KIND_DATA_DURABLE, site, object, 4, version, standing.level, standing.bytes,
         standing.hash);
  }
  lt_lock_give(lock);
  return standing.hash != 0;
}

// The bytes of an open file, malloc'd; NULL with errno.
static uint8_t *read_all(int file, size_t *count) {
  struct stat status;
  *count = 0;
  if (fstat(file, &status) != 0) return NULL;
  size_t room = (size_t)status.st_size;
  uint8_t *bytes = malloc(room ? room : 1);
  while (bytes != NULL && *count < room) {
    ssize_t got = read(file, bytes + *count, room - *count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int error = errno;
      free(bytes);
      *count = 0;
      errno = error;
      return NULL;
    }
    if (got == 0) break;
    *count += (size_t)got;
  }
  return bytes;
}

// What was read back stands there, until a save of this process replaces it.
static void stands(lt_object *object, const char *path, lt_content content) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  if (object->saved_version == 0) {
    object->standing = content;
    // A launch may find what is on the disk.
    object->is_synced = true;
    object->saved_path = lt_hash(path, strlen(path));
  }
  lt_lock_give(lock);
}

int lt_restore(uint32_t object, uint32_t site, const char *path, void **bytes, size_t *count,
               uint64_t *version) {
  lt_shield();
  *bytes = NULL;
  *count = 0;
  *version = 0;
  char target[4096];
  int file = follow_links(path, target, sizeof target) ? open(target, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) *bytes = read_all(file, count);
  int error = *bytes == NULL ? errno : 0;
  lt_content found = {0, *count, LT_LEVEL_KERNEL};
  if (error == 0) {
    found.hash = lt_hash(*bytes, *count);
    *version = lt_noted_version(file, target, found.hash);
    lt_version_raise(object, *version);
    stands(known(object), target, found);
  }
  if (file >= 0) close(file);
  if (error == 0 || error == ENOENT) {
    emit(LT_KIND_DATA_RESTORED, site, object, 3, *version, *count, found.hash, 0);
  } else {
    lt_save_failed(object, site, lt_version(object), error, "read");
  }
  lt_unshield();
  return error;
}
