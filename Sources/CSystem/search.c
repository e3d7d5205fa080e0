// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "csystem_search.h"

#include <string.h>

const void *csystem_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count);
}

const void *csystem_find_last(const void *bytes, size_t count, int byte) {
  return memrchr(bytes, byte, count);
}
