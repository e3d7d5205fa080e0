// SPDX-License-Identifier: Apache-2.0
//
// An actor plays the part of one process in a story of several: what it does stands in a text, line by
// line, and each line is the place in the source of the events that it makes. acts.c has the words.
//
//     on start            a section: at the start, or at an event or a word of the host
//     hear notes          waits for a message of that actor, and has it in hand
//     work search         begins work
//     ask store           sends in the course of what it has in hand, and waits for the answer
//     over                ends what was begun last

#pragma once

#include <lifetrace.h>
#include <lifetrace_context.h>
#include <stdatomic.h>

#define LINES_MAX 256
#define WORDS_MAX 6
#define OPEN_MAX 16

typedef struct line {
  char *words[WORDS_MAX + 1];
  int count;
} line;

typedef struct part {
  const char *name;   // of the process, as its peers call it
  char file[64];      // as sites name it
  line lines[LINES_MAX];
  int count;
} part;

extern part own;

// What one thread of an actor is at.
typedef struct scene {
  int line;
  lt_context came;    // of the message that it has in hand
  lt_span open[OPEN_MAX];
  uint32_t ends[OPEN_MAX];
  int depth;
  unsigned long long wake;  // that it has to answer, as the host numbers it
  int lock;                 // the file of the lock that it holds
} scene;

// Ends the process, saying what it could not do.
_Noreturn void give_up(const scene *at, const char *what);

// Plays the section of that name, if the part has it.
void play(const char *section, unsigned long long wake);

// What a line does; false for words that nobody knows.
bool perform(scene *at, const line *words);

// Messages: datagrams of 32 bytes, to a socket for each pair of actors. A receive without a part in the
// recording is a relay's: it hands on or swallows what it has.
void say(scene *at, uint32_t site, const char *peer, size_t bytes);
void hear(scene *at, uint32_t site, const char *peer);
void relay(const scene *at, const char *from, const char *to);

// The host of a scenario.
void tell_host(const char *format, ...) __attribute__((format(printf, 1, 2)));
int take_part(void);
