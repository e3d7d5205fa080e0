// SPDX-License-Identifier: Apache-2.0
//
// A copy of a directory with all that is in it: content, permissions, links and the attributes
// that users give files.

#define _GNU_SOURCE
#include "cplatform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// Deeper folders are left out.
enum { depth_max = 64 };

static void copy_attributes(int from, int to) {
  char names[4096], value[65536];
  ssize_t count = flistxattr(from, names, sizeof names);
  for (char *name = names; count > 0 && name < names + count; name += strlen(name) + 1) {
    if (strncmp(name, "user.", 5) != 0) continue;
    ssize_t bytes = fgetxattr(from, name, value, sizeof value);
    if (bytes >= 0) (void)fsetxattr(to, name, value, (size_t)bytes, 0);
  }
}

static int copy_file(int from_folder, int to_folder, const char *name, const struct stat *status) {
  int from = openat(from_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (from < 0) return -1;
  int to = openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int result = to < 0 ? -1 : 0;
  while (result == 0) {
    ssize_t moved = sendfile(to, from, NULL, 1 << 30);
    if (moved == 0) break;
    if (moved < 0 && errno != EINTR) result = -1;
  }
  if (to >= 0) {
    copy_attributes(from, to);
    (void)fchmod(to, status->st_mode & 07777);
    close(to);
  }
  close(from);
  return result;
}

static int copy_link(int from_folder, int to_folder, const char *name) {
  char target[PATH_MAX];
  ssize_t count = readlinkat(from_folder, name, target, sizeof target - 1);
  if (count < 0) return -1;
  target[count] = 0;
  return symlinkat(target, to_folder, name);
}

static int copy_folder(int from, int to, int depth);

static int copy_entry(int from, int to, const char *name, int depth) {
  struct stat status;
  // What is gone meanwhile was not there.
  if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (S_ISREG(status.st_mode)) return copy_file(from, to, name, &status);
  if (S_ISLNK(status.st_mode)) return copy_link(from, to, name);
  if (!S_ISDIR(status.st_mode) || depth == depth_max) return 0;
  if (mkdirat(to, name, 0700) != 0) return -1;
  int below = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  int copy = openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  int result = below < 0 || copy < 0 ? -1 : copy_folder(below, copy, depth + 1);
  if (copy >= 0) {
    (void)fchmod(copy, status.st_mode & 07777);
    close(copy);
  }
  return result;
}

// Closes `from`.
static int copy_folder(int from, int to, int depth) {
  DIR *folder = fdopendir(from);
  if (folder == NULL) {
    close(from);
    return -1;
  }
  int result = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (copy_entry(dirfd(folder), to, entry->d_name, depth) != 0) result = -1;
  }
  closedir(folder);
  return result;
}

int cplatform_copy_tree(const char *from, const char *to) {
  if (mkdir(to, 0700) != 0) return -1;
  int below = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int copy = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int result = below < 0 || copy < 0 ? -1 : copy_folder(below, copy, 0);
  if (copy >= 0) close(copy);
  return result;
}
