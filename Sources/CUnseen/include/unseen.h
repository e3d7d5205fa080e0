// SPDX-License-Identifier: Apache-2.0
#ifndef LIFETRACE_UNSEEN_H
#define LIFETRACE_UNSEEN_H

#include <stdbool.h>
#include <stdint.h>

// Work that a simulated app hands to the Swift runtime, to libdispatch or to a thread.
//
// All of it passes through a few functions of libdispatch, the jobs of Swift's tasks and actors too,
// and through pthread_create. A program's own symbols precede those of its libraries, so that calls
// come here first. On a thread that is followed, what is handed over goes to the follower, which
// decides when it runs; elsewhere calls go on to the library.
//
// The functions are weak: a program that holds libdispatch itself has that, and is not followed.
// Nor is one under the thread sanitizer, which wants these calls itself. There, and for what cannot
// be followed at all, it is only noted that such work was begun.

#define LT_UNSEEN_TASK 1u
#define LT_UNSEEN_DISPATCH 2u
#define LT_UNSEEN_THREAD 4u
#define LT_UNSEEN_SOURCE 8u
#define LT_UNSEEN_TIMER 16u

// Something that a queue is to run. Whoever takes it calls `run` or `drop`, once, where not null.
typedef struct lt_piece {
  void *queue;      // of libdispatch
  int64_t delay;    // nanoseconds; 0 for at once
  bool is_barrier;  // it runs alone on a concurrent queue
  void (*run)(void *argument);
  void (*drop)(void *argument);
  void *argument;
} lt_piece;

// What became of a wait.
typedef enum lt_passing {
  LT_PASSING_ON,     // something else has run meanwhile: look again
  LT_PASSING_OVER,   // its time is up
  LT_PASSING_STUCK,  // nothing is left to run: only real time can end it
} lt_passing;

// Who follows the work of one app. Its functions may be called on each thread that it follows, and
// none of what they begin themselves is followed.
typedef struct lt_follower {
  void *context;
  uint32_t *kinds;  // what was begun that cannot be followed; written atomically
  void (*take)(void *context, lt_piece piece);
  // The piece is for when the group is empty.
  void (*take_after)(void *context, void *group, lt_piece piece);
  // A thread will run, or (-1) will not after all.
  void (*expect)(void *context, int count);
  // It runs now.
  void (*run)(void *context, void (*body)(void *), void *argument);
  // The simulator's thread waits for others, at most until the virtual time `deadline`.
  lt_passing (*pass)(void *context, int64_t deadline);
  int64_t (*deadline)(void *context, int64_t nanoseconds);
  // A worker begins (1) or ends (-1) to wait for others; it is not waited for meanwhile.
  void (*park)(void *context, int change);
  // This thread begins (1) to wait for others, until one of them wakes it up (-1). `what` for is said
  // in words that last; null where it only sleeps.
  void (*wait)(void *context, const char *what, int change);
  // This thread is about to wait with a limit in real time.
  void (*limit)(void *context);
  // This thread sleeps in virtual time.
  void (*sleep)(void *context, int64_t nanoseconds);
  // Behind that a worker begins (1), or ends (-1), to sleep in real time as well.
  void (*nap)(void *context, int change);
  // This thread has begun to listen on a socket, which the kernel numbers so.
  void (*listens)(void *context, uint64_t socket);
} lt_follower;

// This thread is followed from now on, as worker `number` or (0) as the simulator's own; null ends it.
// Answers who followed it before.
lt_follower *lt_follow(lt_follower *follower, uint32_t number);
// The number of this thread.
uint32_t lt_followed_number(void);

// Notes on any thread that such work was begun.
void lt_unseen_add(uint32_t *kinds, uint32_t kind);

// Whether calls come here at all.
bool lt_follows(void);
// Whether a thread of this process sleeps until another one wakes it up, without a limit.
bool lt_waits_for_threads(int32_t thread);
// The kernel's number of this thread.
int32_t lt_thread_id(void);
bool lt_is_main_queue(const void *queue);
// Hands a piece to its queue, unfollowed: `run` is called there.
void lt_hand_over(void *queue, bool is_barrier, void *argument, void (*run)(void *));
bool lt_group_is_empty(void *group);
// Of libdispatch.
void lt_object_retain(void *object);
void lt_object_release(void *object);

#endif
