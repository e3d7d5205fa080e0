// SPDX-License-Identifier: Apache-2.0
//
// A session on a file system of a few pages, in a mount namespace of our own. The program is its
// own drain, because nobody outside can see the mount.

#define _GNU_SOURCE
#include "emitter.h"

#include <dirent.h>
#include <drain.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static bool say(const char *path, const char *text) {
  int file = open(path, O_WRONLY);
  bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
  if (file >= 0) close(file);
  return written;
}

// Root has a mount namespace for the asking, others below a user namespace.
static bool own_namespace(void) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "0 %u 1", getuid());
  snprintf(groups, sizeof groups, "0 %u 1", getgid());
  if (unshare(CLONE_NEWNS) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return say("/proc/self/setgroups", "deny") && say("/proc/self/uid_map", users) &&
         say("/proc/self/gid_map", groups);
}

static bool mount_tmpfs(const char *path, const char *size) {
  char options[64];
  snprintf(options, sizeof options, "size=%s,mode=0700", size);
  return mount("tmpfs", path, "tmpfs", 0, options) == 0;
}

// A file system without extended attributes, which nobody else sees: versions are noted in a file
// beside. 0 where it is there.
static int mount_ramfs(const char *directory) {
  if (!own_namespace()) {
    printf("unprivileged\n");
    return -1;
  }
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 3;
  if (mount("ramfs", directory, "ramfs", 0, NULL) != 0) {
    printf("unprivileged\n");
    return -1;
  }
  return 0;
}

enum { savers = 3 };

typedef struct saver {
  pthread_barrier_t *barrier;
  const char *path;
  uint32_t object;
  int number, rounds, failures;
} saver;

static void *saving_thread(void *argument) {
  saver *saver = argument;
  char text[64];
  for (int round = 0; round < saver->rounds; round++) {
    pthread_barrier_wait(saver->barrier);
    // The newest is now the first to be at it and now the last.
    uint64_t version = (uint64_t)(savers * round + 1 + (saver->number + round) % savers);
    int count = snprintf(text, sizeof text, "round %d of thread %d", round, saver->number);
    if (lt_save_version(saver->object, 0, saver->path, text, (size_t)count, LT_LEVEL_KERNEL,
                        version) != 0) {
      saver->failures++;
    }
    // Between two of these barriers nobody saves.
    pthread_barrier_wait(saver->barrier);
    pthread_barrier_wait(saver->barrier);
  }
  return NULL;
}

// Threads save one object to one path at once, over and over.
int savers_story(const char *directory, int rounds) {
  int status = mount_ramfs(directory);
  if (status != 0) return status < 0 ? 0 : status;
  char path[4096];
  snprintf(path, sizeof path, "%s/draft.txt", directory);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, savers + 1);
  uint32_t draft = lt_name("draft.txt");
  saver each[savers];
  pthread_t ids[savers];
  for (int at = 0; at < savers; at++) {
    each[at] = (saver){&barrier, path, draft, at, rounds, 0};
    if (pthread_create(&ids[at], NULL, saving_thread, &each[at]) != 0) return 3;
  }
  int unknown = 0, failures = 0, files = 0;
  for (int round = 0; round < rounds; round++) {
    for (int at = 0; at < savers; at++) lt_version_next(draft);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    // Whoever was last: the newest is what stands there, and its version is known.
    void *bytes = NULL;
    size_t count = 0;
    uint64_t version = 0;
    if (lt_restore(draft, 0, path, &bytes, &count, &version) != 0) return 7;
    free(bytes);
    unknown += version != (uint64_t)(savers * (round + 1));
    pthread_barrier_wait(&barrier);
  }
  for (int at = 0; at < savers; at++) {
    pthread_join(ids[at], NULL);
    failures += each[at].failures;
  }
  DIR *list = opendir(directory);
  for (struct dirent *item; list != NULL && (item = readdir(list)) != NULL;) {
    files += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
  }
  printf("%d failed, %d of an unknown version, %d files\n", failures, unknown, files);
  return 0;
}

int sidecar_story(const char *directory) {
  int status = mount_ramfs(directory);
  if (status != 0) return status < 0 ? 0 : status;
  char path[4096], beside[4096];
  void *bytes = NULL;
  size_t count = 0;
  uint64_t version = 0;
  uint32_t draft = lt_name("draft.txt");
  snprintf(path, sizeof path, "%s/draft.txt", directory);
  snprintf(beside, sizeof beside, "%s/.draft.txt.version", directory);
  for (int round = 1; round <= 3; round++) {
    lt_version_next(draft);
    if (lt_save(draft, 0, path, "one two three", (size_t)round * 4, LT_LEVEL_DISK) != 0) return 5;
    if (access(beside, F_OK) != 0) return 6;
    if (lt_restore(draft, 0, path, &bytes, &count, &version) != 0) return 7;
    free(bytes);
    printf("version %llu of %zu bytes\n", (unsigned long long)version, count);
  }
  // A save that dies between its note and its rename leaves the content of before.
  char missing[4096];
  snprintf(missing, sizeof missing, "%s.kept", path);
  if (link(path, missing) != 0) return 8;
  lt_version_next(draft);
  if (lt_save(draft, 0, path, "newer", 5, LT_LEVEL_DISK) != 0) return 5;
  if (rename(missing, path) != 0) return 8;
  if (lt_restore(draft, 0, path, &bytes, &count, &version) != 0) return 7;
  free(bytes);
  printf("version %llu of %zu bytes\n", (unsigned long long)version, count);
  // Somebody else writes.
  int file = open(path, O_WRONLY | O_TRUNC);
  if (write(file, "other", 5) != 5) return 8;
  close(file);
  if (lt_restore(draft, 0, path, &bytes, &count, &version) != 0) return 7;
  free(bytes);
  printf("version %llu of %zu bytes\n", (unsigned long long)version, count);
  return 0;
}

static void fill(const char *directory) {
  char path[4096], page[4096] = {0};
  snprintf(path, sizeof path, "%s/filler", directory);
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  while (write(file, page, sizeof page) > 0) {
  }
  close(file);
}

static int count_records(const char *directory) {
  char path[4096];
  DIR *list = opendir(directory);
  unsigned long long records = 0, dropped = 0, data = 0;
  int pools = 0, elsewhere = 0;
  drain_record *taken = calloc(65536, sizeof *taken);
  for (struct dirent *item; list != NULL && (item = readdir(list)) != NULL;) {
    if (strncmp(item->d_name, "pool-", 5) != 0) continue;
    snprintf(path, sizeof path, "%s/%s", directory, item->d_name);
    drain_pool *pool = drain_open(path);
    if (pool == NULL) return 6;
    pools++;
    elsewhere += item->d_type == DT_LNK;
    for (size_t more; (more = drain_take(pool, taken, 65536)) > 0;) {
      for (size_t at = 0; at < more; at++) data += taken[at].record.kind == LT_KIND_DATA_DIRTY;
      records += more;
    }
    dropped += drain_dropped_total(pool);
    if (item->d_type == DT_LNK) {
      char target[4096];
      ssize_t length = readlink(path, target, sizeof target - 1);
      if (length > 0) {
        target[length] = 0;
        unlink(target);
      }
    }
  }
  printf("pools=%d elsewhere=%d records=%llu dropped=%llu data=%llu\n", pools, elsewhere, records,
         dropped, data);
  return 0;
}

// `filled` names the file systems that are full: `none`, `session`, `all`, or `rest` for all but
// the session's.
int tmpfs_story(const char *directory, const char *size, const char *filled, uint64_t count) {
  if (!own_namespace()) {
    printf("unprivileged\n");
    return 0;
  }
  // What is mounted here stays here.
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 3;
  bool all = strcmp(filled, "all") == 0;
  if (all || strcmp(filled, "rest") == 0) {
    const char *others[] = {"/dev/shm", "/var/tmp", "/tmp"};
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("TMPDIR");
    for (size_t at = 0; at < 3; at++) {
      if (!mount_tmpfs(others[at], "8k")) return 4;
      fill(others[at]);
    }
    directory = "/mnt";
  }
  if (!mount_tmpfs(directory, size)) return 4;
  if (!drain_session_make(directory, LT_CLOCK_COUNTER, LT_ON_FULL_DROP, 0, 64u << 20)) return 5;
  if (all || strcmp(filled, "session") == 0) fill(directory);
  setenv(LT_SESSION_VARIABLE, directory, 1);
  emit_numbers(0, 0, count);
  // What a verdict about lost data stands on has room still.
  uint32_t object = lt_name("draft.txt");
  for (int version = 1; version <= 1000; version++) LT_DATA_DIRTY(object, 1);
  return count_records(directory);
}
