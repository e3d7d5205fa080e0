// SPDX-License-Identifier: Apache-2.0
//
// What the SDK in a program and an interposed library in the same process (`record --observe`) say to
// each other: both must write into one pool, else the process would be two.
//
// An SDK that finds the library there hands it this table before `main`, and the library emits
// through it. In a program without the SDK the library uses the copy that it has itself.

#pragma once

#include "lifetrace_layout.h"

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

#define LT_OBSERVED_VERSION 1u

typedef struct lt_observed {
  uint32_t version;  // LT_OBSERVED_VERSION
  // Whether this process writes into a pool; with `may_join` it joins if it has not decided yet.
  bool (*is_recorded)(bool may_join);
  // Whether this thread is inside the SDK, or simulated: what it does then is not the app's doing.
  bool (*is_inside)(void);
  // Emits a record; a tick of 0 is now. An earlier one is that of what this thread has just done.
  void (*emit)(const lt_record *record);
  // The clock of records, once the process is recorded.
  uint64_t (*tick)(void);
  uint64_t (*next_id)(void);
  uint32_t (*name)(const char *bytes, size_t count);
  // The version of a data object that the program itself reports; 0 for none.
  uint64_t (*version_of)(uint32_t object);
  uint32_t (*site)(const char *name, const char *file, uint32_t line);
} lt_observed;

// The symbol that the library exports, and the variable that says it is wanted.
#define LT_OBSERVED_MEET "lifetrace_observe_meet"
#define LT_OBSERVED_VARIABLE "LIFETRACE_OBSERVE"
typedef void lt_observed_meet(const lt_observed *sdk);

// Of lt_record.observer: who saw it.
#define LT_OBSERVER_OWN 0u
#define LT_OBSERVER_INTERPOSED 5u

extern const lt_observed lt_observed_here;

#ifdef __cplusplus
}  // extern "C"
#endif
