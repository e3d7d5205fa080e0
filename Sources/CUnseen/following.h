// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unseen.h"

#if defined(__linux__) && !__has_feature(thread_sanitizer)
#define LT_CAN_FOLLOW 1
#else
#define LT_CAN_FOLLOW 0
#endif

// Who follows this thread; null for nobody.
extern _Thread_local lt_follower *lt_following;

void lt_note_unseen(uint32_t kind);
// Whether libdispatch has made this block of another.
bool lt_has_flags(const void *work);

// Nobody follows this thread until the end of the block: what the follower begins is its own.
static inline void lt_follow_on(lt_follower **before) { lt_following = *before; }
#define LT_UNFOLLOWED                                                              \
  __attribute__((cleanup(lt_follow_on))) lt_follower *lt_before = lt_following; \
  lt_following = NULL

// The next definition of a symbol behind this one.
#define LT_NEXT(name) \
  static __typeof__(&name) _Atomic real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define LT_INTERPOSED __attribute__((weak, visibility("default")))
