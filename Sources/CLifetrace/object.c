// SPDX-License-Identifier: Apache-2.0
//
// What this process knows of its data objects: their versions in memory, the file that each lives in,
// and what stands there; and what an app reports of them itself.

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static lt_object objects[LT_NAMES_MAX];

lt_object *lt_object_of(uint32_t name) {
  if (lt_tls.sink) return lt_sink_object(lt_tls.sink, name);
  return &objects[name < LT_NAMES_MAX ? name : 0];
}

uint64_t lt_version(uint32_t object) { return atomic_load(&lt_object_of(object)->version); }
uint64_t lt_version_next(uint32_t object) {
  return atomic_fetch_add(&lt_object_of(object)->version, 1) + 1;
}

void lt_version_raise(uint32_t object, uint64_t version) {
  _Atomic uint64_t *held = &lt_object_of(object)->version;
  uint64_t seen = atomic_load(held);
  while (seen < version && !atomic_compare_exchange_weak(held, &seen, version)) {
  }
}

void lt_data_emit(uint8_t kind, uint32_t site, uint32_t object, uint8_t count, uint64_t a0,
                  uint64_t a1, uint64_t a2, uint64_t a3) {
  lt_emit(kind, site, object, count, a0, a1, a2, a3);
}

lt_place lt_place_of(const char *target) {
  const char *slash = strrchr(target, '/');
  char directory[4096] = ".";
  if (slash != NULL) {
    size_t count = slash == target ? 1 : (size_t)(slash - target);
    memcpy(directory, target, count);
    directory[count] = 0;
  }
  lt_place place = {lt_hash(target, strlen(target)), 0};
  struct stat found;
  if (stat(directory, &found) == 0) {
    const char *name = slash == NULL ? target : slash + 1;
    uint64_t parts[3] = {(uint64_t)found.st_dev, (uint64_t)found.st_ino,
                         lt_hash(name, strlen(name))};
    place.node = lt_hash(parts, sizeof parts);
  }
  return place;
}

lt_look lt_look_of(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return (lt_look){0, 0, 0};
#if defined(__APPLE__)
  struct timespec time = status.st_mtimespec;
#else
  struct timespec time = status.st_mtim;
#endif
  return (lt_look){(uint64_t)status.st_ino, (uint64_t)status.st_size,
                   (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec};
}

static bool is_same(lt_place held, lt_place place) {
  return held.path == place.path || (place.node != 0 && held.node == place.node);
}

static void settle(lt_object *object, lt_place place, const char *target) {
  free(object->home_path);
  object->home_path = strdup(target);
  object->home = place;
}

bool lt_object_lives_at(lt_object *object, lt_place place, const char *target) {
  if (object->home.path == 0) settle(object, place, target);
  return is_same(object->home, place);
}

// A path that is not absolute may lead elsewhere by now.
static bool is_home_gone(const lt_object *object) {
  const char *path = object->home_path;
  if (path == NULL || access(path, F_OK) == 0 || errno != ENOENT) return false;
  return path[0] == '/' || lt_place_of(path).node == object->home.node;
}

bool lt_object_is_made_anew(const lt_object *object, lt_place place, uint64_t version) {
  if (version < object->saved_version) return false;
  if (object->former.path != 0 && is_same(object->former, place)) return true;
  return object->is_given_up && version > object->given_up && is_home_gone(object);
}

void lt_object_resettle(lt_object *object, lt_place place, const char *target) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  if (!is_same(object->home, place)) {
    object->former = object->home;
    settle(object, place, target);
  }
  lt_lock_give(lock);
}

void lt_object_move(lt_object *object, lt_place place, const char *target) {
  settle(object, place, target);
  object->changes++;
  object->saved_version = 0;
  object->standing = (lt_content){0, 0, 0};
  object->known_hash = 0;
  object->known_look = (lt_look){0, 0, 0};
  object->is_synced = false;
  object->is_moved = true;
  object->former = (lt_place){0, 0};
  object->is_given_up = false;
}

void lt_object_unsettle(lt_object *object) {
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  if (object->changes == 0 && object->standing.hash == 0) {
    object->home = (lt_place){0, 0};
    free(object->home_path);
    object->home_path = NULL;
  }
  lt_lock_give(lock);
}

// All of it is given up, where that is the newest version: what comes next may be another document.
static void give_up(uint32_t object, uint64_t version) {
  if (object == LT_NAME_LOST) return;
  lt_object *held = lt_object_of(object);
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  uint64_t newest = atomic_load(&held->version);
  if (version == 0 || version >= newest) {
    held->is_given_up = true;
    held->given_up = newest;
  }
  lt_lock_give(lock);
}

// What the app reports of a file that it reads or writes by itself stands there.
static void stands(uint32_t object, lt_content content) {
  if (object == LT_NAME_LOST) return;
  lt_object *held = lt_object_of(object);
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_lock_take(lock);
  held->changes++;
  held->standing = content;
  held->is_moved = false;
  if (content.hash != 0) held->known_hash = content.hash;
  // By other means than ours: what changes there from now on may be the app's own doing.
  held->known_look = (lt_look){0, 0, 0};
  lt_lock_give(lock);
}

void lt_data_flushing(uint32_t object, uint32_t site, uint64_t version, uint64_t bytes) {
  // Until it says that it has written it.
  stands(object, (lt_content){0, 0, 0});
  lt_data_emit(LT_KIND_DATA_FLUSHING, site, object, 2, version, bytes, 0, 0);
}

void lt_data_durable(uint32_t object, uint32_t site, uint64_t version, uint32_t level,
                     uint64_t bytes, uint64_t hash) {
  if (level == LT_LEVEL_KERNEL || level == LT_LEVEL_DISK) {
    stands(object, (lt_content){hash, bytes, level});
  }
  lt_data_emit(LT_KIND_DATA_DURABLE, site, object, 4, version, level, bytes, hash);
}

void lt_data_restored(uint32_t object, uint32_t site, uint64_t version, uint64_t bytes,
                      uint64_t hash) {
  lt_version_raise(object, version);
  stands(object, (lt_content){hash, bytes, LT_LEVEL_KERNEL});
  lt_data_emit(LT_KIND_DATA_RESTORED, site, object, 3, version, bytes, hash, 0);
}

void lt_data_discarded(uint32_t object, uint32_t site, uint64_t version) {
  // The file may go with them.
  stands(object, (lt_content){0, 0, 0});
  give_up(object, version);
  lt_data_emit(LT_KIND_DATA_DISCARDED, site, object, 1, version, 0, 0, 0);
}

bool lt_data_unchanged(uint32_t object, uint32_t site, uint64_t version) {
  // Many objects, only the last saved of which would be known.
  if (object == LT_NAME_LOST) return false;
  _Atomic uint32_t *lock = &lt_this_process()->save_lock;
  lt_object *held = lt_object_of(object);
  lt_lock_take(lock);
  lt_content standing = held->standing;
  // A save of an older version that is under way must not replace it any more.
  if (standing.hash != 0 && held->saved_version < version) held->saved_version = version;
  // Before such a save can say that it has been superseded.
  if (standing.hash != 0) {
    lt_data_emit(LT_KIND_DATA_UNCHANGED, site, object, 4, version, standing.level,
                 standing.bytes, standing.hash);
  }
  lt_lock_give(lock);
  return standing.hash != 0;
}
