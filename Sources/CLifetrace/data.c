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
// The step that failed, or NULL; errno says why. `beside` is for a version that the file does not keep.
static const char *take_place(const char *temporary, const char *path, uint64_t version,
                              const uint64_t *beside, lt_object *object, bool *superseded) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  uint64_t path_hash = lt_hash(path, strlen(path));
  lt_lock_take(lock);
  *superseded = object->saved_path == path_hash && object->saved_version > version;
  const char *step = NULL;
  if (*superseded) {
    if (unlink(temporary) != 0) step = "rename";
  } else if (beside != NULL && !lt_note_beside(path, version, *beside)) {
    step = "version";
  } else if (rename(temporary, path) != 0) {
    step = "rename";
  }
  int error = errno;
  if (step == NULL && !*superseded) {
    object->saved_path = path_hash;
    object->saved_version = version;
  }
  lt_lock_give(lock);
  errno = error;
  return step;
}

// The step that failed, or NULL; errno says why.
static const char *write_new(const char *temporary, const char *path, const void *bytes,
                             size_t count, bool sync, uint64_t version, uint64_t hash,
                             lt_object *object, bool *superseded) {
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return "open";
  // A save keeps the permissions of what it replaces, whatever the umask is. A file system that
  // has none is no reason to lose the data.
  struct stat replaced;
  if (stat(path, &replaced) == 0) (void)fchmod(file, replaced.st_mode & 0777);
  const char *step = NULL;
  lt_noting noting = LT_NOTED;
  if (!write_all(file, bytes, count)) {
    step = "write";
  } else if ((noting = lt_note_version(file, path, version, hash)) == LT_NOTE_FAILED) {
    step = "version";
  } else if (sync && fsync(file) != 0) {
    step = "fsync";
  }
  int error = errno;
  if (close(file) != 0 && step == NULL) {
    step = "close";
    error = errno;
  }
  if (step == NULL) {
    const uint64_t *beside = noting == LT_NOTE_BESIDE ? &hash : NULL;
    step = take_place(temporary, path, version, beside, object, superseded);
    error = errno;
  }
  if (step != NULL) unlink(temporary);
  errno = error;
  return step;
}

int lt_save_version(uint32_t object, uint32_t site, const char *path, const void *bytes,
                    size_t count, uint32_t level, uint64_t version) {
  static _Atomic uint32_t number;
  char target[4096], temporary[4096];
  bool sync = level >= LT_LEVEL_DISK;
  uint64_t hash = lt_hash(bytes, count);
  emit(LT_KIND_DATA_FLUSHING, site, object, 2, version, count, 0, 0);

  const char *step = "open";
  bool superseded = false;
  int error = 0;
  if (!follow_links(path, target, sizeof target)) {
    error = errno;
  } else if (snprintf(temporary, sizeof temporary, "%s.saving-%d-%u", target, (int)getpid(),
                      atomic_fetch_add(&number, 1)) >= (int)sizeof temporary) {
    error = ENAMETOOLONG;
  } else {
    step = write_new(temporary, target, bytes, count, sync, version, hash, known(object),
                     &superseded);
    error = errno;
  }
  // The rename itself survives a power cut once its directory is on disk.
  if (step == NULL && sync) {
    int directory = open_directory(target);
    if (directory < 0 || fsync(directory) != 0) {
      step = "fsync directory";
      error = errno;
    }
    if (directory >= 0) close(directory);
  }
  if (step != NULL) {
    lt_save_failed(object, site, version, error, step);
    return error ? error : EIO;
  }
  emit(LT_KIND_DATA_DURABLE, site, object, 4, version, sync ? LT_LEVEL_DISK : LT_LEVEL_KERNEL,
       count, superseded ? 0 : hash);
  return 0;
}

int lt_save(uint32_t object, uint32_t site, const char *path, const void *bytes, size_t count,
            uint32_t level) {
  lt_version_raise(object, 1);
  return lt_save_version(object, site, path, bytes, count, level, lt_version(object));
}

int lt_restore(uint32_t object, uint32_t site, const char *path, void **bytes, size_t *count,
               uint64_t *version) {
  *bytes = NULL;
  *count = 0;
  *version = 0;
  char target[4096];
  int file = follow_links(path, target, sizeof target) ? open(target, O_RDONLY | O_CLOEXEC) : -1;
  int error = file < 0 ? errno : 0;
  struct stat status;
  if (file >= 0 && fstat(file, &status) != 0) error = errno;
  if (error == 0) {
    size_t room = (size_t)status.st_size;
    uint8_t *read_bytes = malloc(room ? room : 1);
    size_t used = 0;
    while (read_bytes != NULL && used < room) {
      ssize_t got = read(file, read_bytes + used, room - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = errno;
      if (got <= 0) break;
      used += (size_t)got;
    }
    if (read_bytes == NULL) error = ENOMEM;
    if (error != 0) {
      free(read_bytes);
    } else {
      *bytes = read_bytes;
      *count = used;
    }
  }
  uint64_t hash = 0;
  if (error == 0) {
    hash = lt_hash(*bytes, *count);
    *version = lt_noted_version(file, target, hash);
    lt_version_raise(object, *version);
  }
  if (file >= 0) close(file);
  if (error == 0 || error == ENOENT) {
    emit(LT_KIND_DATA_RESTORED, site, object, 3, *version, *count, hash, 0);
  } else {
    lt_save_failed(object, site, lt_version(object), error, "read");
  }
  return error;
}
