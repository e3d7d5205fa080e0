// SPDX-License-Identifier: Apache-2.0
//
// What is handed to the queues of libdispatch, on threads that are followed.

#define _GNU_SOURCE
#include "following.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if LT_CAN_FOLLOW

typedef void (*function)(void *);

extern char _dispatch_main_q;
extern void *_NSConcreteGlobalBlock[];
void *_Block_copy(const void *);
void _Block_release(const void *);
void dispatch_retain(void *);
void dispatch_release(void *);
uint64_t dispatch_time(uint64_t, int64_t);
void *dispatch_block_create(unsigned long, const void *);
void dispatch_group_enter(void *);
void dispatch_group_leave(void *);
intptr_t dispatch_group_wait(void *, uint64_t);

void dispatch_async(void *, void *);
void dispatch_async_f(void *, void *, function);
void dispatch_barrier_async(void *, void *);
void dispatch_barrier_async_f(void *, void *, function);
void dispatch_after(uint64_t, void *, void *);
void dispatch_after_f(uint64_t, void *, void *, function);
void dispatch_group_async(void *, void *, void *);
void dispatch_group_async_f(void *, void *, void *, function);
void dispatch_group_notify(void *, void *, void *);
void dispatch_group_notify_f(void *, void *, void *, function);
void *dispatch_source_create(void *, uintptr_t, uintptr_t, void *);

bool lt_follows(void) { return dlsym(RTLD_DEFAULT, "dispatch_async_f") == (void *)dispatch_async_f; }
bool lt_is_main_queue(const void *queue) { return queue == &_dispatch_main_q; }
bool lt_group_is_empty(void *group) { return dispatch_group_wait(group, 0) == 0; }
void lt_object_retain(void *object) { dispatch_retain(object); }
void lt_object_release(void *object) { dispatch_release(object); }

void lt_hand_over(void *queue, bool is_barrier, void *argument, void (*run)(void *)) {
  LT_UNFOLLOWED;
  if (is_barrier) {
    dispatch_barrier_async_f(queue, argument, run);
  } else {
    dispatch_async_f(queue, argument, run);
  }
}

// MARK: Blocks

typedef struct block {
  void *isa;
  int flags;
  int reserved;
  void (*invoke)(void *);
  const void *descriptor;
} block;

// A block that libdispatch has made of another has flags of its own, such as that of a barrier, which
// cannot be read. As a barrier it runs alone, at worst later than it might.
bool lt_has_flags(const void *work) {
  static void (*_Atomic made)(void *);
  if (made == NULL) {
    static const struct { unsigned long reserved, size; } descriptor = {0, sizeof(block)};
    static const block empty = {_NSConcreteGlobalBlock, 1 << 28, 0, NULL, &descriptor};
    block *wrapped = dispatch_block_create(0, &empty);
    made = wrapped->invoke;
    _Block_release(wrapped);
  }
  return ((const block *)work)->invoke == made;
}

static void run_block(void *argument) {
  ((block *)argument)->invoke(argument);
  _Block_release(argument);
}

static void drop_block(void *argument) { _Block_release(argument); }

static lt_piece piece_of(void *queue, void *work, bool is_barrier) {
  return (lt_piece){queue, 0, is_barrier || lt_has_flags(work), run_block, drop_block, _Block_copy(work)};
}

static lt_piece piece_of_function(void *queue, void *context, function work, bool is_barrier) {
  return (lt_piece){queue, 0, is_barrier, work, NULL, context};
}

// The time of now that this thread was last told. What it counts from there is exact, however long
// the machine lets it wait before it asks for that.
static _Thread_local uint64_t taken;

LT_INTERPOSED uint64_t dispatch_time(uint64_t when, int64_t delta) {
  LT_NEXT(dispatch_time);
  uint64_t time = real(when, delta);
  if (lt_following && when == 0) taken = time - (uint64_t)delta;
  return time;
}

// Nanoseconds from now on: of a time on the clock of the uptime, of CLOCK_BOOTTIME (the highest bit
// alone) or of the calendar (negative). In whole milliseconds, as no two runs ask at the same time
// after they took it.
static int64_t delay_until(uint64_t when) {
  if (when == 0) return 0;
  if (when == ~UINT64_C(0)) return INT64_MAX;
  int64_t left;
  struct timespec now;
  if (when >> 62 == 3) {
    clock_gettime(CLOCK_REALTIME, &now);
    left = -(int64_t)when - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
  } else if (when >> 62 == 2) {
    clock_gettime(CLOCK_BOOTTIME, &now);
    left = (int64_t)(when & ~(UINT64_C(1) << 63)) -
           ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
  } else {
    uint64_t present = dispatch_time(0, 0);
    bool is_recent = taken != 0 && present - taken < 1000000000;
    left = (int64_t)(when - (is_recent ? taken : present));
  }
  return left <= 0 ? 0 : left > INT64_MAX - 999999 ? left : (left + 999999) / 1000000 * 1000000;
}

int64_t lt_delay_until(uint64_t when) { return delay_until(when); }

static void take(lt_piece piece) {
  LT_UNFOLLOWED;
  lt_before->take(lt_before->context, piece);
}

// MARK: At once, and later

LT_INTERPOSED void dispatch_async(void *queue, void *work) {
  LT_NEXT(dispatch_async);
  lt_following ? take(piece_of(queue, work, false)) : real(queue, work);
}

LT_INTERPOSED void dispatch_async_f(void *queue, void *context, function work) {
  LT_NEXT(dispatch_async_f);
  lt_following ? take(piece_of_function(queue, context, work, false)) : real(queue, context, work);
}

LT_INTERPOSED void dispatch_barrier_async(void *queue, void *work) {
  LT_NEXT(dispatch_barrier_async);
  lt_following ? take(piece_of(queue, work, true)) : real(queue, work);
}

LT_INTERPOSED void dispatch_barrier_async_f(void *queue, void *context, function work) {
  LT_NEXT(dispatch_barrier_async_f);
  lt_following ? take(piece_of_function(queue, context, work, true)) : real(queue, context, work);
}

LT_INTERPOSED void dispatch_after(uint64_t when, void *queue, void *work) {
  LT_NEXT(dispatch_after);
  if (!lt_following) return real(when, queue, work);
  lt_piece piece = piece_of(queue, work, false);
  piece.delay = delay_until(when);
  take(piece);
}

LT_INTERPOSED void dispatch_after_f(uint64_t when, void *queue, void *context, function work) {
  LT_NEXT(dispatch_after_f);
  if (!lt_following) return real(when, queue, context, work);
  lt_piece piece = piece_of_function(queue, context, work, false);
  piece.delay = delay_until(when);
  take(piece);
}

// MARK: Groups

typedef struct member {
  void *group;
  lt_piece piece;
} member;

static void leave_group(member *work) {
  dispatch_group_leave(work->group);
  dispatch_release(work->group);
  free(work);
}

static void run_member(void *argument) {
  member *work = argument;
  work->piece.run(work->piece.argument);
  leave_group(work);
}

static void drop_member(void *argument) {
  member *work = argument;
  if (work->piece.drop) work->piece.drop(work->piece.argument);
  leave_group(work);
}

static void take_member(void *group, lt_piece piece) {
  member *work = malloc(sizeof *work);
  if (work == NULL) abort();
  *work = (member){group, piece};
  dispatch_retain(group);
  dispatch_group_enter(group);
  piece.run = run_member;
  piece.drop = drop_member;
  piece.argument = work;
  take(piece);
}

static void take_after(void *group, lt_piece piece) {
  LT_UNFOLLOWED;
  lt_before->take_after(lt_before->context, group, piece);
}

LT_INTERPOSED void dispatch_group_async(void *group, void *queue, void *work) {
  LT_NEXT(dispatch_group_async);
  lt_following ? take_member(group, piece_of(queue, work, false)) : real(group, queue, work);
}

LT_INTERPOSED void dispatch_group_async_f(void *group, void *queue, void *context, function work) {
  LT_NEXT(dispatch_group_async_f);
  if (!lt_following) return real(group, queue, context, work);
  take_member(group, piece_of_function(queue, context, work, false));
}

LT_INTERPOSED void dispatch_group_notify(void *group, void *queue, void *work) {
  LT_NEXT(dispatch_group_notify);
  lt_following ? take_after(group, piece_of(queue, work, false)) : real(group, queue, work);
}

LT_INTERPOSED void dispatch_group_notify_f(void *group, void *queue, void *context, function work) {
  LT_NEXT(dispatch_group_notify_f);
  if (!lt_following) return real(group, queue, context, work);
  take_after(group, piece_of_function(queue, context, work, false));
}

// Its events come from the system, when they come.
LT_INTERPOSED void *dispatch_source_create(void *type, uintptr_t handle, uintptr_t mask,
                                           void *queue) {
  LT_NEXT(dispatch_source_create);
  lt_note_unseen(LT_UNSEEN_SOURCE);
  LT_UNFOLLOWED;
  return real(type, handle, mask, queue);
}

#else

bool lt_follows(void) { return false; }
bool lt_is_main_queue(const void *queue) { return false; }
bool lt_group_is_empty(void *group) { return true; }
void lt_object_retain(void *object) {}
void lt_object_release(void *object) {}
void lt_hand_over(void *queue, bool is_barrier, void *argument, void (*run)(void *)) {}

#endif
