// SPDX-License-Identifier: Apache-2.0
//
// A session on a file system of a few pages, in a mount namespace of our own. The program is its
// own drain, because nobody outside can see the mount.

#define _GNU_SOURCE
#include "emitter.h"

#include <dirent.h>
#include <drain.h>
#include <fcntl.h>
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

// A file system without extended attributes: versions are noted in a file beside.
int sidecar_story(const char *directory) {
  if (!own_namespace()) {
    printf("unprivileged\n");
    return 0;
  }
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 3;
  if (mount("ramfs", directory, "ramfs", 0, NULL) != 0) {
    printf("unprivileged\n");
    return 0;
  }
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
