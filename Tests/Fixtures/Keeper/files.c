// SPDX-License-Identifier: Apache-2.0
//
// The objects of the app that are not kept by saves alone: one in a format of its own, one that it
// shares with another app.

#include "keeper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct format {
  uint64_t version;
  char bytes[text_max];
} format;

static size_t format_bytes(const text *of) { return sizeof(uint64_t) + of->count; }

void find_own_format(object *it) {
  format found;
  int file = open(it->path, O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? 0 : read(file, &found, sizeof found);
  if (file >= 0) close(file);
  if (count < (ssize_t)sizeof found.version) {
    LT_DATA_RESTORED(it->name, 0, 0, 0);
    return;
  }
  LT_DATA_RESTORED(it->name, found.version, count, lt_hash(&found, (size_t)count));
}

static bool write_own_format(const object *it, const format *made, bool syncs) {
  char temporary[600];
  snprintf(temporary, sizeof temporary, "%s.new", it->path);
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  size_t count = format_bytes(&it->now);
  bool is_written = write(file, made, count) == (ssize_t)count && (!syncs || fsync(file) == 0);
  close(file);
  if (!is_written || rename(temporary, it->path) != 0) return false;
  if (!syncs) return true;
  char *slash = strrchr(temporary, '/');
  *slash = 0;
  int directory = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_synced = directory >= 0 && fsync(directory) == 0;
  if (directory >= 0) close(directory);
  return is_synced;
}

void change_own_format(object *it, unsigned *seed) {
  pthread_mutex_lock(&it->lock);
  edit(it, some_text(0, seed));
  bool syncs = rand_r(seed) % 2;
  format made = {.version = it->version};
  memcpy(made.bytes, it->now.bytes, it->now.count);
  if (rand_r(seed) % 3 != 0 && write_own_format(it, &made, syncs)) {
    size_t count = format_bytes(&it->now);
    LT_DATA_DURABLE(it->name, it->version, syncs ? LT_LEVEL_DISK : LT_LEVEL_KERNEL, count,
                    lt_hash(&made, count));
  }
  pthread_mutex_unlock(&it->lock);
}

void take_turn(object *it, unsigned *seed) {
  char path[600];
  snprintf(path, sizeof path, "%s.lock", it->path);
  int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) return;
  it->saved.count = it->now.count = 0;
  read_back(it, it->path, &it->now);
  bool is_saved = true;
  for (int steps = rand_r(seed) % 6; steps > 0; steps--) {
    usleep((useconds_t)(rand_r(seed) % 300));
    if (rand_r(seed) % 3 != 0) {
      edit(it, some_text(1, seed));
      is_saved = false;
    } else if (!is_saved) {
      is_saved = LT_SAVE(it->name, it->path, it->now.bytes, it->now.count) == 0;
    }
  }
  if (!is_saved) LT_SAVE(it->name, it->path, it->now.bytes, it->now.count);
  close(lock);
}
