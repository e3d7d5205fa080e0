// SPDX-License-Identifier: Apache-2.0
#ifndef LIFETRACE_UNSEEN_H
#define LIFETRACE_UNSEEN_H

#include <stdint.h>

// Work that code begins on the thread that is watched, and that runs elsewhere or later.
//
// A simulator in virtual time runs the work that goes through its own queues. Work that an app
// hands to the Swift runtime, to libdispatch or to a thread runs in real time, out of its sight. It
// can but notice that such work was begun, which happens on the very thread on which it runs the
// app:
//
// - Tasks and actors come by the hooks of the Swift runtime.
// - Calls of libdispatch and of pthread_create come here first, because a program's own symbols
//   precede those of its libraries. They are weak: a program that holds libdispatch itself has that,
//   and is not watched there. Nor is one under the thread sanitizer, which wants these calls itself.

#define LT_UNSEEN_TASK 1u
#define LT_UNSEEN_DISPATCH 2u
#define LT_UNSEEN_THREAD 4u

// Begins to note in `kinds` what this thread begins; null ends it. Returns what was noted into before.
uint32_t *lt_unseen_watch(uint32_t *kinds);

#endif
