// SPDX-License-Identifier: Apache-2.0
//
// The temporary file of a save: `TARGET.saving-0` beside its target, or the next number when another
// save is at work. A save holds a lock on it while it lives, so that what has no lock is left over
// from one that was killed, and the next save of the same target removes it.
//
// A process id says neither: in a container every launch has the same one.

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// More saves of one target at once than this are refused.
enum { numbers_max = 65536 };

static bool is_file(const char *path, int file) {
  struct stat named, opened;
  return lstat(path, &named) == 0 && fstat(file, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

// False while it is in use, or cannot be known to be unused.
static bool remove_dead(const char *path) {
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == ENOENT;
  // A save that has just made it and has not locked it yet finds that it has gone, and makes
  // another. It may also have been renamed since it was opened: then it is no leftover, and not
  // this path's.
  bool dead = flock(file, LOCK_EX | LOCK_NB) == 0;
  if (dead && is_file(path, file)) dead = unlink(path) == 0;
  close(file);
  return dead;
}

// As many as there are behind `number`; they have no gaps but where a save has ended since.
static void remove_dead_after(const char *target, uint32_t number) {
  char path[4096];
  while (++number < numbers_max) {
    if (snprintf(path, sizeof path, "%s.saving-%u", target, number) >= (int)sizeof path) return;
    if (access(path, F_OK) != 0 || !remove_dead(path)) return;
  }
}

int lt_temporary_open(const char *target, char *path, size_t room) {
  for (uint32_t number = 0; number < numbers_max;) {
    if (snprintf(path, room, "%s.saving-%u", target, number) >= (int)room) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) return -1;
    if (file < 0) {
      if (!remove_dead(path)) number++;
      continue;
    }
    // Where a file system has no locks, nothing of it is ever taken for dead.
    bool ours = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (ours && is_file(path, file)) {
      remove_dead_after(target, number);
      return file;
    }
    close(file);
  }
  errno = EEXIST;
  return -1;
}
