// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cplatform_search.h"

#include <string.h>

const void *cplatform_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count);
}

const void *cplatform_find_last(const void *bytes, size_t count, int byte) {
  return memrchr(bytes, byte, count);
}
