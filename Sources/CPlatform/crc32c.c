// SPDX-License-Identifier: Apache-2.0
#include "include/cplatform_crc32c.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

static uint32_t table[256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    table[i] = crc;
  }
}

uint32_t cplatform_crc32c_by_table(uint32_t crc, const void *bytes, size_t count) {
  pthread_once(&table_once, fill_table);
  const uint8_t *p = bytes;
  crc = ~crc;
  while (count--) crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_cpu(uint32_t crc, const uint8_t *p,
                                                         size_t count) {
  uint64_t wide = (uint32_t)~crc;
  for (; count >= 8; p += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  uint32_t narrow = (uint32_t)wide;
  while (count--) narrow = _mm_crc32_u8(narrow, *p++);
  return ~narrow;
}

static int cpu_has_crc32(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__)
__attribute__((target("+crc"))) static uint32_t by_cpu(uint32_t crc, const uint8_t *p,
                                                       size_t count) {
  crc = ~crc;
  for (; count >= 8; p += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    crc = __crc32cd(crc, word);
  }
  while (count--) crc = __crc32cb(crc, *p++);
  return ~crc;
}

static int cpu_has_crc32(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#endif

uint32_t cplatform_crc32c(uint32_t crc, const void *bytes, size_t count) {
#if defined(__x86_64__) || defined(__aarch64__)
  if (cpu_has_crc32()) return by_cpu(crc, bytes, count);
#endif
  return cplatform_crc32c_by_table(crc, bytes, count);
}
