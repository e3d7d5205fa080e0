// SPDX-License-Identifier: Apache-2.0
//
// A save and a restore of a data object that report the truth about it.

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// On Apple platforms fsync hands the bytes to the drive, which may keep them in its cache; only
// F_FULLFSYNC asks the drive for them. (Written for Apple platforms; untested there.)
static int sync_file(int file) {
#if defined(__APPLE__)
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;
  // Some file systems, such as those of a network, have only the other.
#endif
  return fsync(file);
}

// Aside: it was no save of the object's own file, and ends none that is under way.
static void failed(uint32_t object, uint32_t site, uint64_t version, int error, const char *why,
                   bool aside) {
  lt_data_emit(LT_KIND_DATA_FAILED, site, object, aside ? 4 : 3, version, (uint64_t)error,
               lt_name(why), aside);
}

void lt_save_not_begun(uint32_t object, uint32_t site, uint64_t version, const char *why) {
  failed(object, site, version, 0, why, true);
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
// save has promised to be on the disk. `file` is the temporary one; `object` is NULL where the file
// is none that an object lives in.
//
// The step that failed, or NULL; errno says why. `beside` is for a version that the file does not keep.
static const char *take_place(const char *temporary, int file, bool synced, const char *path,
                              uint64_t version, lt_content content, bool beside,
                              lt_object *object, bool *superseded) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  while (!synced && object != NULL && object->is_synced && object->saved_version == version) {
    lt_lock_give(lock);
    if (sync_file(file) != 0) return "fsync";
    synced = true;
    lt_lock_take(lock);
  }
  *superseded = object != NULL && object->saved_version > version;
  const char *step = NULL;
  if (*superseded) {
    if (unlink(temporary) != 0) step = "rename";
  } else if (beside && !lt_note_beside(path, version, content.hash)) {
    step = "version";
  } else if (rename(temporary, path) != 0) {
    step = "rename";
  }
  int error = errno;
  if (step == NULL && !*superseded && object != NULL) {
    object->saved_version = version;
    object->changes++;
    object->standing = content;
    object->standing.level = LT_LEVEL_KERNEL;
    object->known_hash = content.hash;
    object->known_look = lt_look_of(file);
    object->is_synced = synced;
    object->is_moved = false;
    object->is_given_up = false;
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
  // A save keeps the permissions of the file it replaces, whatever the umask is. A file system that
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
static bool sync_place(const char *path, uint64_t version, lt_content content, lt_object *object) {
  int directory = open_directory(path);
  bool synced = directory >= 0 && sync_file(directory) == 0;
  int error = errno;
  if (directory >= 0) close(directory);
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  // Unless something else has been put or found there since.
  if (synced && object != NULL && object->saved_version == version &&
      object->standing.hash == content.hash) {
    object->standing.level = LT_LEVEL_DISK;
  }
  lt_lock_give(lock);
  errno = error;
  return synced;
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

// What stands at `target` where this process does not know it, because it has neither read nor written
// it, and where `content` has other bytes: its version, or, where none stands for it, how many bytes
// they are; else zeros. The note and the look tell what is known already, so that the content is read
// only of a file that somebody else has written, or an earlier process. What stood at a place to which
// the app has moved the object is not its base: of two files in turn the older one goes. No other
// thread's save takes the place between the two looks.
typedef struct lt_unread {
  uint64_t version, foreign;
} lt_unread;

static lt_unread unread(const char *target, lt_object *object, lt_content content) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  int file = object->is_moved ? -1 : open(target, O_RDONLY | O_CLOEXEC);
  uint64_t hash = 0;
  uint64_t version = file < 0 ? 0 : lt_note_of(file, target, &hash);
  bool known = hash == object->known_hash || hash == content.hash;
  lt_look look = file < 0 ? (lt_look){0, 0, 0} : lt_look_of(file);
  uint64_t known_hash = object->known_hash;
  bool changed = object->known_look.node != 0 && known_hash != 0 &&
                 memcmp(&look, &object->known_look, sizeof look) != 0;
  lt_lock_give(lock);
  lt_unread found = {0, 0};
  if (file < 0) return found;
  if ((version != 0 && !known) || changed) {
    size_t count;
    uint8_t *bytes = read_all(file, &count);
    hash = bytes == NULL ? content.hash : lt_hash(bytes, count);
    bool other = hash != content.hash && hash != known_hash;
    if (other) found.version = lt_noted_version(file, target, hash);
    if (other && found.version == 0 && changed) found.foreign = count;
    free(bytes);
  }
  close(file);
  return found;
}

void lt_data_moved(uint32_t object, const char *path) {
  char target[4096];
  // Many objects, or a path that no save can use: that save says why.
  if (object == LT_NAME_LOST || !follow_links(path, target, sizeof target)) return;
  lt_place place = lt_place_of(target);
  lt_object *held = lt_object_of(object);
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  lt_object_move(held, place, target);
  lt_lock_give(lock);
}

int lt_save_version(uint32_t object, uint32_t site, const char *path, const void *bytes,
                    size_t count, uint32_t level, uint64_t version) {
  // A thread that is cancelled meanwhile ends after the save, not in the middle of it.
  lt_shield();
  char target[4096];
  bool sync = level >= LT_LEVEL_DISK;
  lt_content content = {lt_hash(bytes, count), count, 0};
  bool leads = follow_links(path, target, sizeof target);
  int error = errno;
  // Many objects, each of which may live elsewhere.
  lt_object *own = object == LT_NAME_LOST ? NULL : lt_object_of(object);
  bool is_copy = false, settles = false, is_anew = false;
  lt_place place = {0, 0};
  if (own != NULL && leads) {
    place = lt_place_of(target);
    _Atomic uint32_t *lock = &lt_this_process()->save_lock;
    lt_lock_take(lock);
    settles = own->home.path == 0;
    is_copy = !lt_object_lives_at(own, place, target);
    is_anew = is_copy && lt_object_is_made_anew(own, place, version);
    is_copy = is_copy && !is_anew;
    lt_lock_give(lock);
  }
  if (is_copy) {
    own = NULL;
  } else {
    // Only a recorder wants to know; the save is the same.
    lt_unread lost = {0, 0};
    if (own != NULL && leads && !is_anew && lt_enabled()) lost = unread(target, own, content);
    lt_data_emit(LT_KIND_DATA_FLUSHING, site, object, lost.foreign ? 4 : lost.version ? 3 : 2, version,
                 count, lost.version, lost.foreign);
  }

  const char *step = "open";
  bool superseded = false;
  if (leads) {
    step = write_new(target, bytes, sync, version, content, own, &superseded);
    error = errno;
  }
  uint32_t reached = LT_LEVEL_KERNEL;
  bool placed = step == NULL;
  if (placed && is_anew) lt_object_resettle(own, place, target);
  if (placed && sync) {
    if (sync_place(target, version, content, own)) {
      reached = LT_LEVEL_DISK;
    } else {
      step = "fsync directory";
      error = errno;
    }
  }
  // What stands there now would survive a purge, even if the rest of the save has failed.
  if (placed) {
    lt_data_emit(is_copy ? LT_KIND_DATA_COPIED : LT_KIND_DATA_DURABLE, site, object, 4, version,
                 reached, count, superseded ? 0 : content.hash);
  } else if (settles) {
    lt_object_unsettle(own);
  }
  if (step != NULL) failed(object, site, version, error, step, is_copy);
  lt_unshield();
  return step == NULL ? 0 : error ? error : EIO;
}

int lt_save(uint32_t object, uint32_t site, const char *path, const void *bytes, size_t count,
            uint32_t level) {
  lt_version_raise(object, 1);
  return lt_save_version(object, site, path, bytes, count, level, lt_version(object));
}

// Reads what is there, or nothing; an errno where it cannot be read.
static int read_file(const char *target, void **bytes, size_t *count, uint64_t *hash,
                     uint64_t *version, lt_look *look) {
  int file = open(target, O_RDONLY | O_CLOEXEC);
  *look = (lt_look){0, 0, 0};
  if (file < 0) return errno;
  // Before the first byte: what is written meanwhile has not been read.
  *look = lt_look_of(file);
  *bytes = read_all(file, count);
  int error = *bytes == NULL ? errno : 0;
  if (error == 0) {
    *hash = lt_hash(*bytes, *count);
    *version = lt_noted_version(file, target, *hash);
  }
  close(file);
  return error;
}

int lt_restore(uint32_t object, uint32_t site, const char *path, void **bytes, size_t *count,
               uint64_t *version) {
  lt_shield();
  *bytes = NULL;
  *count = 0;
  *version = 0;
  char target[4096];
  bool leads = follow_links(path, target, sizeof target);
  int error = errno;
  lt_place place = leads ? lt_place_of(target) : (lt_place){0, 0};
  lt_object *own = object == LT_NAME_LOST ? NULL : lt_object_of(object);
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  uint64_t hash = 0;
  lt_look look = {0, 0, 0};
  lt_lock_take(lock);
  // Again where a save has taken its place meanwhile: the bytes that were read stand there no more.
  for (uint64_t changes; leads;) {
    changes = own == NULL ? 0 : own->changes;
    lt_lock_give(lock);
    error = read_file(target, bytes, count, &hash, version, &look);
    lt_lock_take(lock);
    if (own == NULL || own->changes == changes) break;
    free(*bytes);
    *bytes = NULL;
    *count = 0;
    *version = hash = 0;
  }
  if (error == 0) lt_version_raise(object, *version);
  if (error != 0 && error != ENOENT) {
    failed(object, site, lt_version(object), error, "read", true);
  } else if (own == NULL || lt_object_lives_at(own, place, target)) {
    if (own != NULL) {
      // Whether it is on the disk is not known: it is not taken away from there.
      own->is_synced = true;
      own->standing = (lt_content){hash, *count, LT_LEVEL_KERNEL};
      own->known_hash = hash;
      own->known_look = look;
      own->is_moved = false;
    }
    lt_data_emit(LT_KIND_DATA_RESTORED, site, object, 3, *version, *count, hash, 0);
  } else {
    lt_data_emit(LT_KIND_DATA_READ, site, object, 3, *version, *count, hash, 0);
  }
  lt_lock_give(lock);
  lt_unshield();
  return error;
}
