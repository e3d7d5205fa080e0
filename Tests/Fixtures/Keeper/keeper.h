// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lifetrace.h>
#include <pthread.h>

enum { text_max = 96 };

typedef struct text {
  char bytes[text_max];
  size_t count;
} text;

typedef struct object {
  pthread_mutex_t lock;
  pthread_rwlock_t deletion;
  uint32_t name;
  char path[512], backup[512], missing[512];
  text now, saved;
  uint64_t version, saved_version, given_up;
} object;

// One of three, so that edits are taken back: each object has its own.
text some_text(uint32_t of, unsigned *seed);
void edit(object *it, text now);
// Says what is found; false where nothing is.
bool read_back(object *it, const char *path, text *found);

// A file with a header, which the app writes, reads and reports itself, without a word when it begins.
void find_own_format(object *it);
void change_own_format(object *it, unsigned *seed);

// A file that two apps edit in turns: each reads it anew, and saves before it lets the other come.
void take_turn(object *it, unsigned *seed);

// Answers the host until it goes; where there is none, waits to be killed.
int obey_host(void);
