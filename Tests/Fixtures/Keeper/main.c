// SPDX-License-Identifier: Apache-2.0
//
// An app that keeps a few objects in files, and edits, saves and gives up whatever comes, until it is
// killed: `Keeper SEED [DIRECTORY]`; without one, in LIFETRACE_DATA.
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

enum { objects_count = 8, text_max = 96 };

typedef struct text {
  char bytes[text_max];
  size_t count;
} text;

typedef struct object {
  pthread_mutex_t lock;
  uint32_t name;
  char path[512], missing[512];
  text now, saved;
  uint64_t version, saved_version;
} object;

static object objects[objects_count];
static char directory[400];

static bool same(const text *left, const text *right) {
  return left->count == right->count && memcmp(left->bytes, right->bytes, left->count) == 0;
}

// One of three, so that edits are taken back: each object has its own.
static text some_text(uint32_t of, unsigned *seed) {
  text made;
  uint32_t which = (uint32_t)rand_r(seed) % 3;
  made.count = 1 + (of * 7 + which * 29) % text_max;
  memset(made.bytes, (int)('a' + which * 8 + of), made.count);
  return made;
}

static void edit(object *it, text now) {
  it->now = now;
  // The last object never tells what it holds.
  it->version = it == &objects[objects_count - 1]
                    ? LT_DATA_DIRTY(it->name, now.count)
                    : LT_DATA_DIRTY_BYTES(it->name, now.bytes, now.count);
}

static void save(object *it, uint32_t level) {
  pthread_mutex_lock(&it->lock);
  text now = it->now;
  uint64_t version = it->version;
  pthread_mutex_unlock(&it->lock);
  if (version == 0) return;
  if (lt_save_version(it->name, 0, it->path, now.bytes, now.count, level, version) != 0) return;
  pthread_mutex_lock(&it->lock);
  if (version >= it->saved_version) {
    it->saved = now;
    it->saved_version = version;
  }
  pthread_mutex_unlock(&it->lock);
}

static void step(object *it, unsigned *seed) {
  int what = rand_r(seed) % 100;
  uint32_t level = rand_r(seed) % 2 ? LT_LEVEL_DISK : LT_LEVEL_KERNEL;
  if (what < 30) {
    pthread_mutex_lock(&it->lock);
    edit(it, some_text((uint32_t)(it - objects), seed));
    pthread_mutex_unlock(&it->lock);
  } else if (what < 50) {
    save(it, level);
  } else if (what < 60) {
    pthread_mutex_lock(&it->lock);
    if (it->version > 0 && same(&it->now, &it->saved)) LT_DATA_UNCHANGED(it->name, it->version);
    pthread_mutex_unlock(&it->lock);
  } else if (what < 64) {
    pthread_mutex_lock(&it->lock);
    if (it->version > 0) {
      LT_DATA_DISCARDED(it->name, it->version);
      // What is left is no new version: a save of it would be one of the old.
      it->now = it->saved;
      it->version = it->saved_version;
    }
    pthread_mutex_unlock(&it->lock);
  } else if (what < 68) {
    pthread_mutex_lock(&it->lock);
    text now = it->now;
    uint64_t version = it->version;
    pthread_mutex_unlock(&it->lock);
    // Into a directory that is not there, or over one that is.
    const char *path = what < 66 ? it->missing : directory;
    if (version > 0) lt_save_version(it->name, 0, path, now.bytes, now.count, level, version);
  } else {
    usleep((useconds_t)(rand_r(seed) % 200));
  }
}

static void *work(void *argument) {
  unsigned seed = (unsigned)(uintptr_t)argument;
  for (;;) step(&objects[rand_r(&seed) % objects_count], &seed);
  return NULL;
}

static void find(object *it, int number) {
  char name[16];
  snprintf(name, sizeof name, "object%d", number);
  pthread_mutex_init(&it->lock, NULL);
  it->name = lt_name(name);
  snprintf(it->path, sizeof it->path, "%s/%s", directory, name);
  snprintf(it->missing, sizeof it->missing, "%s/missing/%s", directory, name);
  void *bytes = NULL;
  size_t count = 0;
  uint64_t version = 0;
  if (LT_RESTORE(it->name, it->path, &bytes, &count, &version) == 0 && count <= text_max) {
    memcpy(it->now.bytes, bytes, count);
    it->now.count = count;
  }
  free(bytes);
  it->saved = it->now;
}

int main(int count, char **arguments) {
  const char *given = count > 2 ? arguments[2] : getenv("LIFETRACE_DATA");
  if (count < 2 || given == NULL) {
    fprintf(stderr, "usage: Keeper SEED [DIRECTORY]\n");
    return 64;
  }
  LT_CONFIGURE("keeper", LT_ROLE_APP, "", "");
  snprintf(directory, sizeof directory, "%s", given);
  for (int number = 0; number < objects_count; number++) find(&objects[number], number);
  // The seed of each life is another one: the process has a new number.
  unsigned seed = (unsigned)strtoul(arguments[1], NULL, 10) * 2654435761u + (unsigned)getpid();
  for (unsigned thread = 0; thread < 2; thread++) {
    pthread_t id;
    if (pthread_create(&id, NULL, work, (void *)(uintptr_t)(seed + thread)) != 0) return 1;
  }
  return obey_host();
}
