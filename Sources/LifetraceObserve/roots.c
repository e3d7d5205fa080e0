// SPDX-License-Identifier: Apache-2.0
//
// Which files are looked at: those in the folders of the recording, and those anywhere that `data` names.
//
// The recorder says it in one variable, a line each: `root PATH`, `shared PATH NAME` (a tab between),
// `data PATTERN`, `also PATTERN` (the pattern before, by another path to the same folder), `recorder PID`,
// and `calls 1` where each call that changes data is to be told.

#include "observe.h"

#include <stdlib.h>

bool lo_has_data;
bool lo_has_shared;
bool lo_tells_calls;
uint32_t lo_recorder;

enum { roots_max = 16, patterns_max = 2 * lo_patterns_max, text_bytes = 1 << 16 };

typedef struct root {
  const char *path;
  size_t bytes;
  const char *name;
  bool is_shared;
} root;

static char texts[text_bytes];
static size_t texts_used;
static root roots[roots_max];
static size_t root_count;
typedef struct pattern {
  const char *text;
  uint32_t number;  // of the user's pattern, in order
} pattern;

static pattern patterns[patterns_max];
static size_t pattern_count;
static uint32_t numbers_used;
// Whether some pattern is not bound to the folders of the recording.
static bool reaches_elsewhere;

static const char *keep(const char *text, size_t bytes) {
  if (texts_used + bytes + 1 > sizeof texts) return NULL;
  char *to = texts + texts_used;
  memcpy(to, text, bytes);
  to[bytes] = 0;
  texts_used += bytes + 1;
  return to;
}

static void add_root(const char *path, size_t bytes, const char *name, bool is_shared) {
  while (bytes > 1 && path[bytes - 1] == '/') bytes--;
  const char *kept = root_count < roots_max && bytes > 0 && path[0] == '/' ? keep(path, bytes) : NULL;
  if (kept == NULL) return;
  roots[root_count++] = (root){kept, bytes, name, is_shared};
  lo_has_shared = lo_has_shared || is_shared;
}

static bool is_deep(const char *pattern) { return strncmp(pattern, "**/", 3) == 0; }

static void add_pattern(const char *text, size_t bytes, bool is_new) {
  const char *kept = pattern_count < patterns_max ? keep(text, bytes) : NULL;
  if (kept == NULL || (!is_new && numbers_used == 0)) return;
  if (is_new) numbers_used++;
  patterns[pattern_count++] = (pattern){kept, numbers_used - 1};
  if (kept[0] == '/' || is_deep(kept) || strchr(kept, '/') == NULL) reaches_elsewhere = true;
}

static void read_line(const char *line, size_t bytes) {
  const char *space = memchr(line, ' ', bytes);
  if (space == NULL) return;
  size_t key = (size_t)(space - line);
  const char *value = space + 1;
  size_t count = bytes - key - 1;
  if (key == 4 && memcmp(line, "root", 4) == 0) {
    add_root(value, count, "", false);
  } else if (key == 6 && memcmp(line, "shared", 6) == 0) {
    const char *tab = memchr(value, '\t', count);
    size_t path = tab ? (size_t)(tab - value) : count;
    const char *name = tab ? keep(tab + 1, count - path - 1) : "";
    add_root(value, path, name ? name : "", true);
  } else if (key == 4 && memcmp(line, "data", 4) == 0) {
    add_pattern(value, count, true);
  } else if (key == 4 && memcmp(line, "also", 4) == 0) {
    add_pattern(value, count, false);
  } else if (key == 8 && memcmp(line, "recorder", 8) == 0) {
    lo_recorder = (uint32_t)strtoul(value, NULL, 10);
  } else if (key == 5 && memcmp(line, "calls", 5) == 0) {
    lo_tells_calls = true;
  }
}

void lo_roots_read(const char *text) {
  // What the scenario gives an app for its data.
  const char *data = getenv("LIFETRACE_DATA");
  if (data != NULL) add_root(data, strlen(data), "", false);
  // Its data folder may be on it, and has names of its own.
  const char *disk = getenv("LIFETRACE_DISK");
  if (disk != NULL) add_root(disk, strlen(disk), "$LIFETRACE_DISK", false);
  for (const char *line = text; *line != 0;) {
    size_t bytes = strcspn(line, "\n");
    read_line(line, bytes);
    line += bytes + (line[bytes] != 0);
  }
  lo_has_data = pattern_count > 0;
}

// What the kernel shows as files there is nobody's data.
static bool is_of_the_kernel(const char *path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ||
         (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0);
}

bool lo_find_root(const char *path, lo_below *below) {
  const root *best = NULL;
  for (size_t at = 0; at < root_count; at++) {
    const root *candidate = &roots[at];
    if (strncmp(path, candidate->path, candidate->bytes) != 0) continue;
    if (path[candidate->bytes] != '/' && candidate->bytes > 1) continue;
    if (best == NULL || candidate->bytes > best->bytes ||
        (candidate->bytes == best->bytes && candidate->is_shared)) {
      best = candidate;
    }
  }
  if (best == NULL) {
    *below = (lo_below){path, false, true, ""};
    return reaches_elsewhere && !is_of_the_kernel(path);
  }
  const char *rest = path + best->bytes + (best->bytes > 1);
  *below = (lo_below){rest, best->is_shared, false, best->name};
  return true;
}

// `*` and `?` stay within a name, `**` does not.
static bool matches(const char *pattern, const char *text) {
  for (; *pattern != 0; pattern++) {
    if (*pattern == '*') {
      bool deep = pattern[1] == '*';
      const char *rest = pattern + 1 + deep;
      // `**` followed by a slash is also no folder at all.
      if (deep && *rest == '/' && matches(rest + 1, text)) return true;
      for (const char *at = text;; at++) {
        if (matches(rest, at)) return true;
        if (*at == 0 || (*at == '/' && !deep)) return false;
      }
    }
    if (*text == 0 || (*pattern == '?' ? *text == '/' : *pattern != *text)) return false;
    text++;
  }
  return *text == 0;
}

bool lo_is_data(const char *path, const lo_below *below) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  bool is_data = false;
  for (size_t at = 0; at < pattern_count; at++) {
    const char *text = patterns[at].text;
    bool found = text[0] == '/'              ? matches(text, path)
                 : is_deep(text)             ? matches(text, path + 1)
                 : strchr(text, '/') == NULL ? matches(text, name)
                                             : !below->is_elsewhere && matches(text, below->path);
    if (!found) continue;
    // All of them: the recorder names those that have matched nothing.
    lo_ledger_matched(patterns[at].number);
    is_data = true;
  }
  return is_data;
}
