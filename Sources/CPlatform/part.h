// SPDX-License-Identifier: Apache-2.0
//
// Reads the pieces of a file that anybody may have written: numbers, LEB128, texts that end in a zero.

#ifndef LIFETRACE_PLATFORM_PART_H
#define LIFETRACE_PLATFORM_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A part of the file, read from its beginning. Beyond its end it yields zeros and is `bad`.
typedef struct part {
  const uint8_t *at, *end;
  bool bad;
} part;

static uint64_t fixed(part *from, unsigned bytes) {
  uint64_t value = 0;
  if ((size_t)(from->end - from->at) < bytes) {
    from->bad = true;
    from->at = from->end;
    return 0;
  }
  memcpy(&value, from->at, bytes);
  from->at += bytes;
  return value;
}

static uint64_t unsigned_leb(part *from) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    uint8_t byte = (uint8_t)fixed(from, 1);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  from->bad = true;
  return 0;
}

static int64_t signed_leb(part *from) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70;) {
    uint8_t byte = (uint8_t)fixed(from, 1);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift < 64) value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
  }
  from->bad = true;
  return 0;
}

static const char *text(part *from) {
  const uint8_t *begin = from->at;
  const uint8_t *zero = memchr(begin, 0, (size_t)(from->end - begin));
  if (zero == NULL) {
    from->bad = true;
    from->at = from->end;
    return "";
  }
  from->at = zero + 1;
  return (const char *)begin;
}

static const char *text_at(part whole, uint64_t offset) {
  if (offset >= (uint64_t)(whole.end - whole.at)) return "";
  whole.at += offset;
  return text(&whole);
}

static part cut(part from, uint64_t offset, uint64_t bytes) {
  uint64_t room = (uint64_t)(from.end - from.at);
  if (offset > room || bytes > room - offset) return (part){from.end, from.end, true};
  return (part){from.at + offset, from.at + offset + bytes, false};
}

#endif
