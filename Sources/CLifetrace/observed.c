// SPDX-License-Identifier: Apache-2.0
//
// The way into this process's pool for an interposed library, see lifetrace_observed.h.

#if defined(__linux__)
#define _GNU_SOURCE
#include "internal.h"
#include "lifetrace_observed.h"

#include <dlfcn.h>

static bool is_recorded(bool may_join) {
  return may_join ? lt_join() : lt_control_value() > LT_CONTROL_SINKS;
}

static bool is_inside(void) { return lt_tls.shields > 0 || lt_tls.sink != NULL; }

static uint64_t next_id(void) { return lt_next_id(); }

static uint32_t site(const char *name, const char *file, uint32_t line) {
  return lt_site(name, file, line, "");
}

#if defined(LT_OBSERVER)
static uint64_t version_of(uint32_t object) {
  (void)object;
  return 0;
}
#else
static uint64_t version_of(uint32_t object) { return lt_version(object); }
#endif

const lt_observed lt_observed_here = {
    LT_OBSERVED_VERSION, is_recorded, is_inside, lt_emit_record, lt_tick, next_id, lt_name_bytes, version_of, site,
};

// A library has a copy of this file too; only an SDK in a program has somebody to meet.
#if !defined(LT_OBSERVER)
// Before main, and behind the constructors of the library, which was loaded first.
__attribute__((constructor)) static void meet(void) {
  if (secure_getenv(LT_OBSERVED_VARIABLE) == NULL) return;
  lt_observed_meet *library = (lt_observed_meet *)dlsym(RTLD_DEFAULT, LT_OBSERVED_MEET);
  if (library != NULL) library(&lt_observed_here);
}
#endif
#endif
