// SPDX-License-Identifier: Apache-2.0
//
// Where there is no recorder to join, on systems other than Linux, an app that links
// lifetrace runs as it would without one. (Written for Apple platforms; untested there.)

#include "internal.h"

#if !defined(__linux__)

uint64_t lt_join_locked(void) { return LT_CONTROL_OFF; }

void lt_configure(const char *app, uint32_t role, const char *reason, const char *version) {
  (void)app, (void)role, (void)reason, (void)version;
}

void lt_writer(uint64_t *high, uint64_t *low) { *high = *low = 0; }

void lt_thread_reset(lt_thread *thread, uint64_t epoch) { thread->epoch = epoch; }

bool lt_block_claim(lt_thread *thread, bool goes_on) {
  (void)thread, (void)goes_on;
  return false;
}

bool lt_pool_reserve_tables(uint64_t bytes) {
  (void)bytes;
  return false;
}

#endif
