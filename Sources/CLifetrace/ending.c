// SPDX-License-Identifier: Apache-2.0
//
// A process that ends itself right behind one of its events, so that the instant of its death is an
// event and not a timer: `lifetrace explore` asks for it.
//
//     LIFETRACE_END="17 0"              // behind its 17th event
//     LIFETRACE_END="2 37 draft.txt"    // behind its second event of kind 37 that names draft.txt
//     LIFETRACE_END_PID="          "    // room for the pid of that process
//
// It is for one process, through the programs that take each other's place in it by exec: the first one
// writes its pid into the room, in place, and those that it starts find another than their own there.

#define _GNU_SOURCE
#include "internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_word(const char *bytes, size_t count, const char *name) {
  return bytes != NULL && strlen(name) == count && memcmp(bytes, name, count) == 0;
}

bool lt_record_names(const lt_record *record, const char *name) {
  size_t count = 0;
  switch (lt_family_of(record->kind)) {
    case LT_FAMILY_DATA:
    case LT_FAMILY_RESOURCE:
    case LT_FAMILY_NOTIFICATION: {
      const char *bytes = lt_name_lookup((uint32_t)record->identity, &count);
      if (is_word(bytes, count, name)) return true;
      break;
    }
    default: break;
  }
  lt_site_entry site;
  if (!lt_site_lookup(record->site, &site)) return false;
  const char *bytes = lt_name_lookup(site.name, &count);
  return is_word(bytes, count, name);
}

#if defined(__linux__)
// Whether the end is for this process. Without room for a pid it is for the first program that asks.
static bool is_meant(char *text) {
  char *room = secure_getenv("LIFETRACE_END_PID");
  if (room == NULL) return true;
  unsigned long known = strtoul(room, NULL, 10);
  if (known != 0) return known == (unsigned long)getpid();
  char digits[24];
  size_t width = strlen(room);
  int length = snprintf(digits, sizeof digits, "%ld", (long)getpid());
  if (length <= 0 || (size_t)length > width) {
    memset(text, 0, strlen(text));
    return true;
  }
  memcpy(room + width - (size_t)length, digits, (size_t)length);
  return true;
}

void lt_ending_arm(void) {
  char *text = secure_getenv("LIFETRACE_END");
  if (text == NULL || text[0] == 0 || !is_meant(text)) return;
  lt_process *process = lt_this_process();
  char *rest;
  uint64_t left = strtoull(text, &rest, 10);
  unsigned long kind = strtoul(rest, &rest, 10);
  if (*rest == ' ') rest++;
  strncpy(process->end_name, rest, sizeof process->end_name - 1);
  process->end_kind = (uint8_t)kind;
  // Nor may a program that it starts take it for its own.
  if (secure_getenv("LIFETRACE_END_PID") == NULL) memset(text, 0, strlen(text));
  atomic_store(&process->end_left, left);
}
#endif

void lt_end_behind(const lt_record *record) {
  lt_process *process = lt_this_process();
  if (record->kind == LT_KIND_THREAD) return;
  if (process->end_kind != 0 && record->kind != process->end_kind) return;
  if (process->end_name[0] != 0 && !lt_record_names(record, process->end_name)) return;
  if (atomic_fetch_sub(&process->end_left, 1) != 1) return;
  kill(getpid(), SIGKILL);
  // Nothing of this thread runs on while the kernel ends the others.
  for (;;) pause();
}
