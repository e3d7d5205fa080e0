// SPDX-License-Identifier: Apache-2.0
//
// An app that keeps a few objects in files, and edits, saves, copies, deletes and gives up whatever
// comes, until it is killed: `Keeper SEED [DIRECTORY [SHARED]]`; without one, in LIFETRACE_DATA. SHARED
// is a directory that it shares with another app; the object in it has its name.
//
// Two threads work on the objects at once, without a mistake: so what the ledger of its recording says
// of each object is what the next launch must find.

#include "keeper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { objects_count = 8 };

static object objects[objects_count];
static object own_format, shared;
static char directory[400];

static bool same(const text *left, const text *right) {
  return left->count == right->count && memcmp(left->bytes, right->bytes, left->count) == 0;
}

text some_text(uint32_t of, unsigned *seed) {
  text made;
  uint32_t which = (uint32_t)rand_r(seed) % 3;
  made.count = 1 + (of * 7 + which * 29) % text_max;
  memset(made.bytes, (int)('a' + which * 8 + of), made.count);
  return made;
}

void edit(object *it, text now) {
  it->now = now;
  // The last object never tells what it holds.
  it->version = it == &objects[objects_count - 1]
                    ? LT_DATA_DIRTY(it->name, now.count)
                    : LT_DATA_DIRTY_BYTES(it->name, now.bytes, now.count);
}

// To the object's own file, or to another one.
static void save(object *it, const char *path, uint32_t level) {
  pthread_mutex_lock(&it->lock);
  text now = it->now;
  // A backup is one of something: what is saved at another place alone lives there.
  bool has_own = path != it->backup || it->saved_version > 0;
  uint64_t version = has_own ? it->version : 0;
  // A file is not deleted while it is saved or read.
  pthread_rwlock_rdlock(&it->deletion);
  pthread_mutex_unlock(&it->lock);
  bool is_saved = version != 0 &&
                  lt_save_version(it->name, 0, path, now.bytes, now.count, level, version) == 0;
  pthread_rwlock_unlock(&it->deletion);
  pthread_mutex_lock(&it->lock);
  if (is_saved && path == it->path && version >= it->saved_version && version > it->given_up) {
    it->saved = now;
    it->saved_version = version;
  }
  pthread_mutex_unlock(&it->lock);
}

static void give_up(object *it, bool deletes) {
  if (deletes) {
    pthread_rwlock_wrlock(&it->deletion);
    it->saved = (text){.count = 0};
    it->saved_version = 0;
  }
  it->given_up = lt_version(it->name);
  LT_DATA_DISCARDED(it->name, it->given_up);
  if (deletes) {
    unlink(it->path);
    pthread_rwlock_unlock(&it->deletion);
  }
  // What is left is no new version: a save of it would be one of the old.
  it->now = it->saved;
  it->version = it->saved_version;
}

bool read_back(object *it, const char *path, text *found) {
  void *bytes = NULL;
  size_t count = 0;
  uint64_t version = 0;
  bool is_there = LT_RESTORE(it->name, path, &bytes, &count, &version) == 0 && count <= text_max;
  if (is_there) {
    memcpy(found->bytes, bytes, count);
    found->count = count;
  }
  free(bytes);
  return is_there;
}

static void step(object *it, unsigned *seed) {
  int what = rand_r(seed) % 100;
  uint32_t level = rand_r(seed) % 2 ? LT_LEVEL_DISK : LT_LEVEL_KERNEL;
  text found;
  if (what < 24) {
    pthread_mutex_lock(&it->lock);
    edit(it, some_text((uint32_t)(it - objects), seed));
    pthread_mutex_unlock(&it->lock);
  } else if (what < 42) {
    save(it, it->path, level);
  } else if (what < 50) {
    pthread_mutex_lock(&it->lock);
    if (it->version > 0 && same(&it->now, &it->saved)) LT_DATA_UNCHANGED(it->name, it->version);
    pthread_mutex_unlock(&it->lock);
  } else if (what < 57) {
    pthread_mutex_lock(&it->lock);
    if (it->version > 0 || what >= 54) give_up(it, what >= 54);
    pthread_mutex_unlock(&it->lock);
  } else if (what < 60) {
    // Into a directory that is not there, or over one that is.
    save(it, what < 59 ? it->missing : directory, level);
  } else if (what < 64) {
    save(it, it->backup, level);
  } else if (what < 67) {
    // A look at what stands there, or at the backup; or the backup becomes the newest version.
    pthread_rwlock_rdlock(&it->deletion);
    read_back(it, what == 64 ? it->path : it->backup, &found);
    pthread_rwlock_unlock(&it->deletion);
  } else if (what < 69) {
    pthread_mutex_lock(&it->lock);
    if (read_back(it, it->backup, &found)) edit(it, found);
    pthread_mutex_unlock(&it->lock);
  } else if (what < 73) {
    change_own_format(&own_format, seed);
  } else if (what < 79 && shared.path[0] != 0) {
    take_turn(&shared, seed);
  } else {
    usleep((useconds_t)(rand_r(seed) % 200));
  }
}

static void *work(void *argument) {
  unsigned seed = (unsigned)(uintptr_t)argument;
  for (;;) step(&objects[rand_r(&seed) % objects_count], &seed);
  return NULL;
}

static void name(object *it, const char *name, const char *directory) {
  pthread_mutex_init(&it->lock, NULL);
  pthread_rwlock_init(&it->deletion, NULL);
  it->name = lt_name(name);
  snprintf(it->path, sizeof it->path, "%s/%s", directory, name);
  snprintf(it->backup, sizeof it->backup, "%s/%s.backup", directory, name);
  snprintf(it->missing, sizeof it->missing, "%s/missing/%s", directory, name);
}

int main(int count, char **arguments) {
  const char *given = count > 2 ? arguments[2] : getenv("LIFETRACE_DATA");
  if (count < 2 || given == NULL) {
    fprintf(stderr, "usage: Keeper SEED [DIRECTORY [SHARED]]\n");
    return 64;
  }
  LT_CONFIGURE("keeper", LT_ROLE_APP, "", "");
  snprintf(directory, sizeof directory, "%s", given);
  for (int number = 0; number < objects_count; number++) {
    char called[16];
    snprintf(called, sizeof called, "object%d", number);
    object *it = &objects[number];
    name(it, called, directory);
    read_back(it, it->path, &it->now);
    it->saved = it->now;
  }
  name(&own_format, "own-format", directory);
  find_own_format(&own_format);
  if (count > 3) {
    const char *slash = strrchr(arguments[3], '/');
    name(&shared, slash == NULL ? arguments[3] : slash + 1, arguments[3]);
  }
  // The seed of each life is another one: the process has a new number.
  unsigned seed = (unsigned)strtoul(arguments[1], NULL, 10) * 2654435761u + (unsigned)getpid();
  for (unsigned thread = 0; thread < 2; thread++) {
    pthread_t id;
    if (pthread_create(&id, NULL, work, (void *)(uintptr_t)(seed + thread)) != 0) return 1;
  }
  return obey_host();
}
