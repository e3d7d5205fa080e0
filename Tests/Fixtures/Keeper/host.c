// SPDX-License-Identifier: Apache-2.0
//
// The part of an app under test that says hello, and that each event is done.

#include "keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int tell(int host, const char *format, unsigned long long number) {
  char line[128];
  int count = snprintf(line, sizeof line, format, number);
  return send(host, line, (size_t)count, MSG_NOSIGNAL) == count ? 0 : 1;
}

int obey_host(void) {
  const char *path = getenv("LIFETRACE_HOST");
  if (path == NULL) {
    for (;;) pause();
  }
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, path);
  int host = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(host, (struct sockaddr *)&address, sizeof address) != 0) return 3;
  if (tell(host, "{\"op\":\"hello\",\"v\":1,\"app\":\"keeper\",\"pid\":%llu}\n",
           (unsigned long long)getpid()) != 0) {
    return 4;
  }
  FILE *lines = fdopen(host, "r");
  char *line = NULL;
  size_t size = 0;
  while (lines != NULL && getline(&line, &size, lines) > 0) {
    const char *number = strstr(line, "\"n\":");
    unsigned long long value = number == NULL ? 0 : strtoull(number + 4, NULL, 10);
    if (value != 0 && tell(host, "{\"op\":\"done\",\"n\":%llu}\n", value) != 0) return 5;
  }
  return 0;
}
