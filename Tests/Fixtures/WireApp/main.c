// SPDX-License-Identifier: Apache-2.0
//
// An app in C that takes part in scenarios by itself, as PROTOCOL.md tells, and links the SDK for what
// only it knows. It joins the recording with its first event, which may come late. Told words:
//
//     edit: TEXT        an unsaved change of `draft`, through lifetrace.h
//     task: NAME        begins a background task, and ends it when its time is over
//     leak: NAME        begins one, and never ends it
//     garbage: TEXT     sends TEXT as a line
//     save: TEXT        an edit of `draft.txt`, and its save, before it answers
//     soft: TEXT        the same without a sync
//     lie: TEXT         says that it is saved, and writes nothing
//
// `WireApp scenes` says that it has scenes; `WireApp keeps` reads `draft.txt` at its launch. URLs it says back, with the event that they came with.

#include <lifetrace.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int host = -1;
static unsigned long long last_task;
static bool leaks;
static bool keeps;

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (count < 0 || (size_t)count >= sizeof line - 1) exit(1);
  line[count++] = '\n';
  if (send(host, line, (size_t)count, MSG_NOSIGNAL) != count) exit(1);
}

// The value of a member that is a plain string or a number, as the host writes it: no escapes.
static const char *member(const char *line, const char *name, char value[256]) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(line, key);
  value[0] = 0;
  if (at == NULL) return value;
  at += strlen(key);
  bool quoted = *at == '"';
  at += quoted;
  size_t count = strcspn(at, quoted ? "\"" : ",}");
  snprintf(value, 256, "%.*s", (int)(count < 255 ? count : 255), at);
  return value;
}

static void begin_task(const char *name) {
  last_task += 1;
  tell("{\"op\":\"task-began\",\"id\":%llu,\"name\":\"%s\"}", last_task, name);
}

// The file of the draft, where the system wants it.
static const char *draft_path(char path[512]) {
  const char *folder = getenv("LIFETRACE_DISK");
  if (folder == NULL) folder = getenv("LIFETRACE_DATA");
  snprintf(path, 512, "%s/draft.txt", folder == NULL ? "." : folder);
  return path;
}

static void save(const char *text, uint32_t level) {
  char path[512];
  uint32_t draft = lt_name("draft.txt");
  LT_DATA_DIRTY_BYTES(draft, text, strlen(text));
  lt_save(draft, LT_SITE("save"), draft_path(path), text, strlen(text), level);
}

static void lie(const char *text) {
  uint32_t draft = lt_name("draft.txt");
  uint64_t version = LT_DATA_DIRTY_BYTES(draft, text, strlen(text));
  LT_DATA_FLUSHING(draft, version, strlen(text));
  LT_DATA_DURABLE(draft, version, LT_LEVEL_DISK, strlen(text), lt_hash(text, strlen(text)));
}

static void restore(void) {
  char path[512];
  void *bytes = NULL;
  size_t count = 0;
  uint64_t version = 0;
  lt_restore(lt_name("draft.txt"), LT_SITE("restore"), draft_path(path), &bytes, &count, &version);
  free(bytes);
}

static void hear_word(const char *word, const char *value) {
  if (strcmp(word, "edit") == 0) LT_DATA_DIRTY(lt_name("draft"), strlen(value));
  leaks = leaks || strcmp(word, "leak") == 0;
  if (strcmp(word, "task") == 0 || strcmp(word, "leak") == 0) begin_task(value);
  if (strcmp(word, "garbage") == 0) tell("%s", value);
  if (strcmp(word, "save") == 0) save(value, LT_LEVEL_DISK);
  if (strcmp(word, "soft") == 0) save(value, LT_LEVEL_KERNEL);
  if (strcmp(word, "lie") == 0) lie(value);
}

static void hear(const char *line) {
  char event[256], first[256], second[256], number[256];
  member(line, "event", event);
  if (strcmp(event, "launch") == 0 && keeps) restore();
  if (strcmp(event, "tell") == 0) {
    hear_word(member(line, "word", first), member(line, "value", second));
  } else if (strcmp(event, "wake") == 0) {
    tell("{\"op\":\"completed\",\"wake\":%s,\"result\":\"noData\"}", member(line, "id", first));
  } else if (strcmp(event, "expire") == 0) {
    tell("{\"op\":\"said\",\"text\":\"time is up\"}");
    if (!leaks) tell("{\"op\":\"task-ended\",\"id\":%s}", member(line, "task", first));
  }
  if (*member(line, "url", first) != 0) {
    tell("{\"op\":\"said\",\"text\":\"%s %s\"}", event, first);
  }
  member(line, "n", number);
  if (strcmp(number, "0") != 0) tell("{\"op\":\"done\",\"n\":%s}", number);
}

int main(int count, char **arguments) {
  const char *path = getenv("LIFETRACE_HOST");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path == NULL || strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "WireApp takes part in a scenario: lifetrace record --scenario FILE -- WireApp\n");
    return 64;
  }
  strcpy(address.sun_path, path);
  host = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(host, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(path);
    return 1;
  }
  bool scenes = count > 1 && strcmp(arguments[1], "scenes") == 0;
  keeps = count > 1 && strcmp(arguments[1], "keeps") == 0;
  tell("{\"op\":\"hello\",\"v\":1,\"app\":\"wired\",\"pid\":%d,\"config\":{\"scenes\":%s}}",
       (int)getpid(), scenes ? "true" : "false");
  FILE *lines = fdopen(host, "r");
  char *line = NULL;
  size_t size = 0;
  while (lines != NULL && getline(&line, &size, lines) > 0) {
    if (strstr(line, "\"op\":\"event\"") != NULL) hear(line);
  }
  return 0;
}
