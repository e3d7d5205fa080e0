// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cplatform_search.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

// Of a needle's bytes, where the one stands that is probably the rarest in a text: the first capital.
static size_t rarest(const unsigned char *needle, size_t count) {
  for (size_t at = 0; at < count; at++) {
    if (needle[at] - 'A' < 26u) return at;
  }
  return 0;
}

// Which of sixteen places have two bytes of the needle where they should.
static inline __m128i fits(const unsigned char *rare, const unsigned char *last, __m128i rare_byte,
                           __m128i last_byte) {
  __m128i rares = _mm_loadu_si128((const __m128i *)(const void *)rare);
  __m128i lasts = _mm_loadu_si128((const __m128i *)(const void *)last);
  return _mm_and_si128(_mm_cmpeq_epi8(rares, rare_byte), _mm_cmpeq_epi8(lasts, last_byte));
}

// Two bytes of the needle are looked for at many places at a time; few others than hits have both.
// `memmem` makes a table of the needle first, which takes longer than a line of a log.
static const unsigned char *find(const unsigned char *bytes, size_t count,
                                 const unsigned char *needle, size_t needle_count) {
  size_t places = count - needle_count + 1, gap = needle_count - 1;
  if (places < 16) {
    for (size_t at = 0; at < places; at++) {
      if (bytes[at] == needle[0] && bytes[at + gap] == needle[gap] &&
          memcmp(bytes + at, needle, needle_count) == 0) {
        return bytes + at;
      }
    }
    return NULL;
  }
  size_t place = rarest(needle, needle_count);
  __m128i rare_byte = _mm_set1_epi8((char)needle[place]);
  __m128i last_byte = _mm_set1_epi8((char)needle[gap]);
  const unsigned char *rare = bytes + place, *last = bytes + gap;
  for (size_t at = 0;; at += 16) {
    for (; places - at >= 64; at += 64) {
      __m128i some = _mm_or_si128(fits(rare + at, last + at, rare_byte, last_byte),
                                  fits(rare + at + 16, last + at + 16, rare_byte, last_byte));
      __m128i more = _mm_or_si128(fits(rare + at + 32, last + at + 32, rare_byte, last_byte),
                                  fits(rare + at + 48, last + at + 48, rare_byte, last_byte));
      if (_mm_movemask_epi8(_mm_or_si128(some, more)) != 0) break;
    }
    // The last sixteen overlap some that are known to be none.
    if (places - at < 16) at = places - 16;
    unsigned hits = (unsigned)_mm_movemask_epi8(fits(rare + at, last + at, rare_byte, last_byte));
    for (; hits != 0; hits &= hits - 1) {
      const unsigned char *hit = bytes + at + __builtin_ctz(hits);
      if (memcmp(hit, needle, needle_count) == 0) return hit;
    }
    if (at == places - 16) return NULL;
  }
}

const void *cplatform_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  if (needle_count == 0) return bytes;
  if (needle_count > count) return NULL;
  return find(bytes, count, needle, needle_count);
}
#else
const void *cplatform_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count);
}
#endif

const void *cplatform_find_last(const void *bytes, size_t count, int byte) {
  return memrchr(bytes, byte, count);
}
