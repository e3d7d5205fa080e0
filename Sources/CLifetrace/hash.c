// SPDX-License-Identifier: Apache-2.0
//
// XXH64 with seed 0: the content hash of data events, and of the name table.
// The algorithm is described at https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.

#include "internal.h"

static const uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p3 = 0x165667b19e3779f9u,
                      p4 = 0x85ebca77c2b2ae63u, p5 = 0x27d4eb2f165667c5u;

static inline uint64_t rotated(uint64_t value, int bits) {
  return value << bits | value >> (64 - bits);
}

static inline uint64_t word64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

static inline uint32_t word32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

static inline uint64_t lane(uint64_t sum, uint64_t word) {
  return rotated(sum + word * p2, 31) * p1;
}

uint64_t lt_hash(const void *bytes, size_t count) {
  const uint8_t *at = bytes, *end = at + count;
  uint64_t sum;
  if (count >= 32) {
    uint64_t v1 = p1 + p2, v2 = p2, v3 = 0, v4 = 0 - p1;
    do {
      v1 = lane(v1, word64(at));
      v2 = lane(v2, word64(at + 8));
      v3 = lane(v3, word64(at + 16));
      v4 = lane(v4, word64(at + 24));
      at += 32;
    } while (at + 32 <= end);
    sum = rotated(v1, 1) + rotated(v2, 7) + rotated(v3, 12) + rotated(v4, 18);
    sum = (sum ^ lane(0, v1)) * p1 + p4;
    sum = (sum ^ lane(0, v2)) * p1 + p4;
    sum = (sum ^ lane(0, v3)) * p1 + p4;
    sum = (sum ^ lane(0, v4)) * p1 + p4;
  } else {
    sum = p5;
  }
  sum += count;
  for (; at + 8 <= end; at += 8) sum = rotated(sum ^ lane(0, word64(at)), 27) * p1 + p4;
  if (at + 4 <= end) {
    sum = rotated(sum ^ word32(at) * p1, 23) * p2 + p3;
    at += 4;
  }
  for (; at < end; at++) sum = rotated(sum ^ *at * p5, 11) * p1;
  sum = (sum ^ sum >> 33) * p2;
  sum = (sum ^ sum >> 29) * p3;
  return sum ^ sum >> 32;
}
