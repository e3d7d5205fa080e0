// SPDX-License-Identifier: Apache-2.0
//
// An app in C: it takes part in scenarios as PROTOCOL.md tells, and reports what only it knows, its data,
// through lifetrace.h. It keeps a draft in memory, and saves it on its way to the background.
//
//     cc -I CLifetrace/include diary.c CLifetrace/*.c -lpthread -o diary
//     lifetrace record --scenario diary.yml -o diary.lifetrace --check -- ./diary
//
// With `forgetful` as argument it saves only when told to, and the check names the line of the lost edit.

#include <lifetrace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int host = -1;
static char draft[256];
static char path[4096];
static uint32_t draft_name;
static bool is_unsaved;

// A line to the host; without the host there is nothing to do any more.
static void say(const char *line) {
  char with_end[512];
  int count = snprintf(with_end, sizeof with_end, "%s\n", line);
  if (send(host, with_end, (size_t)count, MSG_NOSIGNAL) != count) exit(0);
}

// The value of a member that is a number or a string without escapes. An app with more to read takes a
// parser of JSON.
static const char *member(const char *line, const char *name, char value[256]) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(line, key);
  value[0] = 0;
  if (at == NULL) return value;
  at += strlen(key);
  bool is_string = *at == '"';
  at += is_string;
  size_t count = strcspn(at, is_string ? "\"" : ",}");
  snprintf(value, 256, "%.*s", (int)(count < 255 ? count : 255), at);
  return value;
}

static void load(void) {
  void *bytes = NULL;
  size_t count = 0;
  uint64_t version = 0;
  if (LT_RESTORE(draft_name, path, &bytes, &count, &version) == 0 && count < sizeof draft) {
    memcpy(draft, bytes, count);
    draft[count] = 0;
  }
  free(bytes);
}

static void edit(const char *text) {
  snprintf(draft, sizeof draft, "%s", text);
  LT_DATA_DIRTY_BYTES(draft_name, draft, strlen(draft));
  is_unsaved = true;
}

static void save(void) {
  if (!is_unsaved) return;
  // Beside the file, synced, renamed into place: whole at any moment, and still there after a power cut.
  if (LT_SAVE(draft_name, path, draft, strlen(draft)) == 0) is_unsaved = false;
}

static void hear(const char *line, bool is_forgetful) {
  char event[256], word[256], value[256], number[256], answer[320];
  member(line, "event", event);
  if (strcmp(event, "launch") == 0) load();
  if (strcmp(event, "enter-background") == 0 && !is_forgetful) save();
  if (strcmp(event, "terminate") == 0 && !is_forgetful) save();
  if (strcmp(event, "tell") == 0) {
    member(line, "word", word);
    member(line, "value", value);
    if (strcmp(word, "edit") == 0) edit(value);
    if (strcmp(word, "save") == 0) save();
  }
  if (strcmp(event, "wake") == 0) {
    snprintf(answer, sizeof answer, "{\"op\":\"completed\",\"wake\":%s,\"result\":\"noData\"}",
             member(line, "id", value));
    say(answer);
  }
  // Each event with a number is answered when the app is through with it.
  member(line, "n", number);
  if (strcmp(number, "0") == 0) return;
  snprintf(answer, sizeof answer, "{\"op\":\"done\",\"n\":%s}", number);
  say(answer);
}

int main(int count, char **arguments) {
  bool is_forgetful = count > 1 && strcmp(arguments[1], "forgetful") == 0;
  const char *where = getenv("LIFETRACE_HOST"), *folder = getenv("LIFETRACE_DATA");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (where == NULL || strlen(where) >= sizeof address.sun_path) {
    fprintf(stderr, "diary: lifetrace record --scenario diary.yml -o OUT --check -- ./diary\n");
    return 64;
  }
  strcpy(address.sun_path, where);
  snprintf(path, sizeof path, "%s/draft.txt", folder == NULL ? "." : folder);
  LT_CONFIGURE("diary", LT_ROLE_APP, "icon", "1.0");
  draft_name = lt_name("draft.txt");
  host = socket(AF_UNIX, SOCK_STREAM, 0);
  if (host < 0 || connect(host, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(where);
    return 1;
  }
  char hello[128];
  snprintf(hello, sizeof hello, "{\"op\":\"hello\",\"v\":1,\"app\":\"diary\",\"pid\":%d}", (int)getpid());
  say(hello);
  FILE *lines = fdopen(host, "r");
  char *line = NULL;
  size_t size = 0;
  while (lines != NULL && getline(&line, &size, lines) > 0) {
    if (strstr(line, "\"op\":\"event\"") != NULL) hear(line, is_forgetful);
  }
  return 0;
}
