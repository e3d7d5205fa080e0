// SPDX-License-Identifier: Apache-2.0
//
// Where a saved file's version is kept: in the extended attribute `user.lifetrace.version`
// of the file itself, so that content and version change in one rename. On file systems
// without attributes it is a line in a file beside it, `.NAME.version`; a line counts only
// when its hash is that of the content, so a crash between the two writes is never a lie.

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__APPLE__)
#define set_attribute(file, name, value, size) fsetxattr(file, name, value, size, 0, 0)
#define get_attribute(file, name, value, size) fgetxattr(file, name, value, size, 0, 0)
#else
#define set_attribute(file, name, value, size) fsetxattr(file, name, value, size, 0)
#define get_attribute(file, name, value, size) fgetxattr(file, name, value, size)
#endif

static const char attribute[] = "user.lifetrace.version";
enum { line_bytes = 64 };

// A version and the hash of its content.
static int print_line(char line[line_bytes], uint64_t version, uint64_t hash) {
  return snprintf(line, line_bytes, "%" PRIu64 " %016" PRIx64 "\n", version, hash);
}

static bool parse_line(const char *line, uint64_t *version, uint64_t *hash) {
  return sscanf(line, "%" SCNu64 " %" SCNx64, version, hash) == 2;
}

static bool beside(const char *path, char *to, size_t room) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  return snprintf(to, room, "%.*s.%s.version", (int)(name - path), path, name) < (int)room;
}

// Up to two lines: one for the content that stands there, one for the content about to replace it.
static size_t read_lines(const char *path, char text[2 * line_bytes + 1]) {
  char name[4096];
  text[0] = 0;
  if (!beside(path, name, sizeof name)) return 0;
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, 2 * line_bytes);
  close(file);
  text[count > 0 ? count : 0] = 0;
  return count > 0 ? (size_t)count : 0;
}

static bool write_lines(const char *path, const char *line) {
  char name[4096], temporary[4096], old[2 * line_bytes + 1];
  if (!beside(path, name, sizeof name)) {
    errno = ENAMETOOLONG;
    return false;
  }
  read_lines(path, old);
  // The newest line comes first.
  char *rest = strchr(old, '\n');
  if (rest != NULL) rest[1] = 0;
  int file = lt_temporary_open(name, temporary, sizeof temporary);
  if (file < 0) return false;
  bool written = write(file, line, strlen(line)) == (ssize_t)strlen(line) &&
                 write(file, old, strlen(old)) == (ssize_t)strlen(old) && fsync(file) == 0 &&
                 rename(temporary, name) == 0;
  int error = errno;
  if (!written) unlink(temporary);
  close(file);
  errno = error;
  return written;
}

// Where the file itself takes none the line beside it is for `lt_note_beside` to write.
lt_noting lt_note_version(int file, const char *path, uint64_t version, uint64_t hash) {
  char line[line_bytes];
  int count = print_line(line, version, hash);
  if (set_attribute(file, attribute, line, (size_t)count) == 0) {
    // An older line could only confuse: the attribute says it all.
    char name[4096];
    if (beside(path, name, sizeof name)) unlink(name);
    return LT_NOTED;
  }
  bool takes_none = errno == ENOTSUP || errno == ENOSPC || errno == EPERM;
  return takes_none ? LT_NOTE_BESIDE : LT_NOTE_FAILED;
}

// In the order in which contents take their places: of two saves at once, each of which has read
// what stood there before, the later note would take the earlier one's line away.
bool lt_note_beside(const char *path, uint64_t version, uint64_t hash) {
  char line[line_bytes];
  print_line(line, version, hash);
  return write_lines(path, line);
}

uint64_t lt_note_of(int file, const char *path, uint64_t *hash) {
  char line[line_bytes + 1], text[2 * line_bytes + 1];
  uint64_t version;
  ssize_t count = get_attribute(file, attribute, line, line_bytes);
  if (count > 0) {
    line[count] = 0;
    if (parse_line(line, &version, hash)) return version;
  }
  read_lines(path, text);
  return parse_line(text, &version, hash) ? version : 0;
}

uint64_t lt_noted_version(int file, const char *path, uint64_t hash) {
  char line[line_bytes + 1];
  uint64_t version, noted;
  ssize_t count = get_attribute(file, attribute, line, line_bytes);
  if (count > 0) {
    line[count] = 0;
    // Another program may have written the content since.
    if (parse_line(line, &version, &noted) && noted == hash) return version;
  }
  char text[2 * line_bytes + 1];
  read_lines(path, text);
  for (const char *at = text; at != NULL && *at != 0;) {
    if (parse_line(at, &version, &noted) && noted == hash) return version;
    const char *end = strchr(at, '\n');
    at = end ? end + 1 : NULL;
  }
  return 0;
}
