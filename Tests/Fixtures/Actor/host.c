// SPDX-License-Identifier: Apache-2.0
//
// An actor as an app of a scenario: it answers each event at once, and plays the section of that name.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "actor.h"

static int host = -1;

void tell_host(const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text, sizeof text - 1, format, arguments);
  va_end(arguments);
  if (host < 0 || count < 0 || (size_t)count >= sizeof text - 1) return;
  text[count++] = '\n';
  if (send(host, text, (size_t)count, MSG_NOSIGNAL) != count) exit(1);
}

// The value of a member, as the host writes it: plain strings and numbers.
static const char *member(const char *text, const char *name, char value[64]) {
  char key[32];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(text, key);
  value[0] = 0;
  if (at == NULL) return value;
  at += strlen(key);
  bool quoted = *at == '"';
  at += quoted;
  size_t count = strcspn(at, quoted ? "\"" : ",}");
  snprintf(value, 64, "%.*s", (int)(count < 63 ? count : 63), at);
  return value;
}

static void take(const char *text) {
  char event[64], word[64], number[64], wake[64];
  member(text, "event", event);
  play(strcmp(event, "tell") == 0 ? member(text, "word", word) : event,
       strtoull(member(text, strcmp(event, "wake") == 0 ? "id" : "wake", wake), NULL, 10));
  if (strcmp(member(text, "n", number), "0") != 0) tell_host("{\"op\":\"done\",\"n\":%s}", number);
}

int take_part(void) {
  const char *path = getenv("LIFETRACE_HOST");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return 64;
  strcpy(address.sun_path, path);
  host = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(host, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  // One that is to go on behind the others says that it has a service to render.
  const char *modes = getenv("ACTOR_MODES");
  tell_host("{\"op\":\"hello\",\"v\":1,\"app\":\"%s\",\"pid\":%d,\"config\":{\"modes\":[%s%s%s]}}",
            own.name, (int)getpid(), modes ? "\"" : "", modes ? modes : "", modes ? "\"" : "");
  FILE *lines = fdopen(host, "r");
  char *text = NULL;
  size_t size = 0;
  while (lines != NULL && getline(&text, &size, lines) > 0) {
    if (strstr(text, "\"op\":\"event\"") != NULL) take(text);
  }
  free(text);
  return 0;
}
