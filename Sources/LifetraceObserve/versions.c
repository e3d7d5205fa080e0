// SPDX-License-Identifier: Apache-2.0
//
// What all processes of a recording know of the objects in the ledger, in a table in the session's
// directory: a process that is launched again goes on with the files of the one before.

#include "observe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { entries_max = 4096 };

// What all processes know of an object.
typedef struct entry {
  _Atomic uint64_t key;  // hash of the path
  _Atomic uint64_t version;
  // How the file looked when it held a version: the last one, and the last one that was synced.
  _Atomic uint64_t last_version, last_look;
  _Atomic uint64_t synced_version, synced_look;
  // How often it was emptied, written anew and closed.
  _Atomic uint64_t rewrites;
  // The last one that was made before the file was removed.
  _Atomic uint64_t removed;
} entry;

// What the recorder asks at the end, behind the entries.
typedef struct tail {
  _Atomic uint64_t processes;  // in which this library stands
  _Atomic uint64_t matched;    // a bit for each pattern of `data` that has matched a file
} tail;

static entry *entries;
static tail *seen;
// Without the table versions count from 1 in each process.
void lo_ledger_start(void) {
  if (!lo_has_data) return;
  char path[4096];
  const char *session = secure_getenv(LT_SESSION_VARIABLE);
  size_t bytes = entries_max * sizeof(entry) + sizeof(tail);
  void *map = MAP_FAILED;
  int file = -1;
  if (snprintf(path, sizeof path, "%s/observed", session) < (int)sizeof path) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  }
  if (file >= 0 && ftruncate(file, (off_t)bytes) == 0 && posix_fallocate(file, 0, (off_t)bytes) == 0) {
    map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (file >= 0) close(file);
  if (map == MAP_FAILED) {
    map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  entries = map == MAP_FAILED ? NULL : map;
  seen = entries ? (tail *)(entries + entries_max) : NULL;
  if (seen != NULL) atomic_fetch_add(&seen->processes, 1);
}

void lo_ledger_matched(uint32_t pattern) {
  if (seen == NULL || pattern >= lo_patterns_max) return;
  uint64_t bit = 1ull << pattern;
  if ((atomic_load_explicit(&seen->matched, memory_order_relaxed) & bit) == 0) {
    atomic_fetch_or(&seen->matched, bit);
  }
}

// Where nothing is known of it yet a new one, or NULL.
static entry *entry_for(const char *path, bool makes) {
  uint64_t key = lt_hash(path, strlen(path)) | 1;
  if (entries == NULL) return NULL;
  for (uint64_t probe = 0; probe < entries_max; probe++) {
    entry *found = &entries[(key + probe) % entries_max];
    uint64_t seen = atomic_load(&found->key);
    if (seen == 0 && !makes) return NULL;
    if (seen == 0 && atomic_compare_exchange_strong(&found->key, &seen, key)) return found;
    if (seen == key) return found;
  }
  return NULL;
}

static entry *entry_of(const char *path) { return entry_for(path, true); }

static uint64_t look_of(const struct stat *status) {
  uint64_t parts[4] = {(uint64_t)status->st_ino, (uint64_t)status->st_size,
                       (uint64_t)status->st_mtim.tv_sec, (uint64_t)status->st_mtim.tv_nsec};
  return lt_hash(parts, sizeof parts);
}

// A database changes by its log: its own look says nothing then; nor does that of a file in the middle
// of being written anew.
void lo_keep_look(lo_file *base, int descriptor, bool synced) {
  struct stat status;
  entry *held = base->is_log_open || base->is_rewritten ? NULL : entry_of(base->path);
  if (held == NULL || base->version == 0 || base->is_failed) return;
  int result = descriptor >= 0 ? fstat(descriptor, &status) : stat(base->path, &status);
  if (result != 0 || atomic_load(&held->version) != base->version) return;
  uint64_t look = look_of(&status);
  atomic_store(&held->last_look, look);
  atomic_store(&held->last_version, base->version);
  if (!synced) return;
  atomic_store(&held->synced_look, look);
  atomic_store(&held->synced_version, base->version);
}

// What is written to the log of a database leaves no mark on the file itself: how that looks tells
// no version any more.
void lo_forget_looks(const lo_file *base) {
  entry *held = entry_of(base->path);
  if (held == NULL) return;
  atomic_store(&held->last_look, 0);
  atomic_store(&held->synced_look, 0);
}

uint64_t lo_newest_version(const lo_file *base) {
  entry *held = entry_of(base->path);
  return held != NULL ? atomic_load(&held->version) : base->version;
}

void lo_number_version(lo_file *base) {
  entry *held = entry_of(base->path);
  uint64_t before = held ? atomic_fetch_add(&held->version, 1) : base->version;
  bool stands = held == NULL || before > atomic_load(&held->removed);
  base->unread = stands && before > base->known ? before : 0;
  base->version = base->known = before + 1;
}

void lo_mark_removed(const lo_file *base) {
  entry *held = entry_of(base->path);
  if (held != NULL) atomic_store(&held->removed, atomic_load(&held->version));
}

bool lo_has_versions(const char *path) {
  entry *held = entry_for(path, false);
  return held != NULL && atomic_load(&held->version) > 0;
}

uint64_t lo_version_by_look(const lo_file *base, const struct stat *status) {
  entry *held = entry_of(base->path);
  uint64_t look = look_of(status);
  if (held == NULL) return 0;
  return look == atomic_load(&held->last_look)     ? atomic_load(&held->last_version)
         : look == atomic_load(&held->synced_look) ? atomic_load(&held->synced_version)
                                                   : 0;
}

bool lo_is_rewritten_often(const lo_file *base) {
  entry *held = entry_of(base->path);
  return held != NULL && atomic_load(&held->rewrites) > 0;
}

void lo_count_rewrite(const lo_file *base) {
  entry *held = entry_of(base->path);
  if (held != NULL) atomic_fetch_add(&held->rewrites, 1);
}
