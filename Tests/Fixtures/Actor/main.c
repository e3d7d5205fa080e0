// SPDX-License-Identifier: Apache-2.0
//
//     actor NAME ROLE     plays NAME.part of its folder: below `record`, or as an app of its scenario
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actor.h"

part own;

_Noreturn void give_up(const scene *at, const char *what) {
  fprintf(stderr, "%s:%d: %s: %s\n", own.file, at->line + 1, what, strerror(errno));
  exit(1);
}

static void read_part(void) {
  snprintf(own.file, sizeof own.file, "%s.part", own.name);
  FILE *file = fopen(own.file, "r");
  if (file == NULL) {
    perror(own.file);
    exit(64);
  }
  char text[512];
  while (fgets(text, sizeof text, file) != NULL && own.count < LINES_MAX) {
    line *words = &own.lines[own.count++];
    text[strcspn(text, "#\n")] = 0;
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word && words->count < WORDS_MAX;
         word = strtok_r(NULL, " ", &rest)) {
      words->words[words->count++] = strdup(word);
    }
  }
  fclose(file);
}

static bool begins_section(const line *words) {
  return words->count == 2 && strcmp(words->words[0], "on") == 0;
}

static void go_on(scene *at) {
  for (; at->line < own.count && !begins_section(&own.lines[at->line]); at->line++) {
    const line *words = &own.lines[at->line];
    if (words->count > 0 && !perform(at, words)) give_up(at, words->words[0]);
  }
}

void play(const char *section, unsigned long long wake) {
  for (int index = 0; index < own.count; index++) {
    if (!begins_section(&own.lines[index]) || strcmp(own.lines[index].words[1], section) != 0) {
      continue;
    }
    scene here = {.line = index + 1, .wake = wake};
    go_on(&here);
  }
}

int main(int count, char **words) {
  if (count != 3) {
    fputs("usage: actor NAME app|extension|daemon|server\n", stderr);
    return 64;
  }
  own.name = words[1];
  read_part();
  const char *const roles[] = {"app", "extension", "daemon", "server"};
  uint32_t role = 0;
  while (role < 4 && strcmp(roles[role], words[2]) != 0) role++;
  lt_configure(own.name, role, NULL, NULL);
  if (getenv("LIFETRACE_HOST") != NULL) return take_part();
  play("start", 0);
  return 0;
}
