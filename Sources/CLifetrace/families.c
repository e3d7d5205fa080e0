// SPDX-License-Identifier: Apache-2.0
//
// Which family a kind belongs to, and which families may use the last eighth of the pool.

#include "internal.h"

static const uint8_t families[256] = {
#include "kind_families.h"
};

uint8_t lt_family_of(uint8_t kind) {
  return families[kind] == 0 ? LT_FAMILY_UNKNOWN : (uint8_t)(families[kind] - 1);
}

// What a verdict about lost data stands on is kept when there is room for nothing else.
bool lt_family_goes_on(uint8_t family) {
  switch (family) {
    case LT_FAMILY_PROCESS:
    case LT_FAMILY_STATE:
    case LT_FAMILY_DEADLINE:
    case LT_FAMILY_DATA:
      return true;
    default:
      return false;
  }
}
