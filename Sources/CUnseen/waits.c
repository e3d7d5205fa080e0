// SPDX-License-Identifier: Apache-2.0
//
// What threads that are followed wait for.
//
// A thread that waits lets others run. On the simulator's own thread nobody else would: a wait that
// can be asked whether it is over is done by the simulator itself, and of any other the simulator is
// told, which then goes on beside it.

#define _GNU_SOURCE
#include "following.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#if LT_CAN_FOLLOW

typedef void (*function)(void *);
typedef void (*function_of_index)(void *, size_t);

enum : uint64_t { now = 0, forever = ~UINT64_C(0) };

int64_t lt_delay_until(uint64_t when);
void *dispatch_semaphore_create(intptr_t);
intptr_t dispatch_semaphore_signal(void *);
intptr_t dispatch_semaphore_wait(void *, uint64_t);
intptr_t dispatch_group_wait(void *, uint64_t);
intptr_t dispatch_block_wait(void *, uint64_t);
void dispatch_release(void *);
void dispatch_sync(void *, void *);
void dispatch_sync_f(void *, void *, function);
void dispatch_barrier_sync(void *, void *);
void dispatch_barrier_sync_f(void *, void *, function);
void dispatch_async_and_wait(void *, void *);
void dispatch_async_and_wait_f(void *, void *, function);
void dispatch_apply(size_t, void *, void *);
void dispatch_apply_f(size_t, void *, void *, function_of_index);

// MARK: What is told

static void begin_wait(lt_follower *follower, const char *what) {
  LT_UNFOLLOWED;
  follower->wait(follower->context, what, 1);
}

static void end_wait(lt_follower *follower) {
  LT_UNFOLLOWED;
  follower->wait(follower->context, NULL, -1);
}

// A call that only another thread can end. Who might wake up a worker is not known, so that it is
// only waited for: see FollowedWork.Settling.
#define TOLD(what, call)                                              \
  lt_follower *follower = lt_following;                               \
  if (follower == NULL || lt_followed_number() != 0) return call;     \
  begin_wait(follower, what);                                         \
  __typeof__(call) result = call;                                     \
  end_wait(follower);                                                 \
  return result

LT_INTERPOSED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  LT_NEXT(pthread_cond_wait);
  TOLD("a condition (pthread_cond_wait)", real(condition, mutex));
}

LT_INTERPOSED int sem_wait(sem_t *semaphore) {
  LT_NEXT(sem_wait);
  TOLD("a semaphore (sem_wait)", real(semaphore));
}

LT_INTERPOSED int pthread_join(pthread_t thread, void **value) {
  LT_NEXT(pthread_join);
  TOLD("the end of a thread (pthread_join)", real(thread, value));
}

LT_INTERPOSED intptr_t dispatch_block_wait(void *work, uint64_t timeout) {
  LT_NEXT(dispatch_block_wait);
  if (timeout != forever) return real(work, timeout);
  TOLD("a work item (dispatch_block_wait)", real(work, timeout));
}

// MARK: Semaphores and groups

typedef intptr_t (*waiting)(void *, uint64_t);

static intptr_t wait_in_worker(waiting real, void *object, uint64_t timeout) {
  lt_follower *follower = lt_following;
  LT_UNFOLLOWED;
  // Real time would end one that has a limit.
  if (timeout != forever) return real(object, timeout);
  follower->park(follower->context, 1);
  intptr_t result = real(object, timeout);
  follower->park(follower->context, -1);
  return result;
}

static intptr_t wait_for(waiting real, void *object, uint64_t timeout, const char *what) {
  lt_follower *follower = lt_following;
  if (follower == NULL || timeout == now) return real(object, timeout);
  if (lt_followed_number() != 0) return wait_in_worker(real, object, timeout);
  LT_UNFOLLOWED;
  int64_t deadline = follower->deadline(follower->context, lt_delay_until(timeout));
  while (real(object, now) != 0) {
    switch (follower->pass(follower->context, deadline)) {
      case LT_PASSING_ON: continue;
      case LT_PASSING_OVER: return real(object, now);
      case LT_PASSING_STUCK: {
        begin_wait(follower, what);
        intptr_t result = real(object, timeout);
        end_wait(follower);
        return result;
      }
    }
  }
  return 0;
}

LT_INTERPOSED intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
  LT_NEXT(dispatch_semaphore_wait);
  return wait_for(real, semaphore, timeout, "a semaphore (dispatch_semaphore_wait)");
}

LT_INTERPOSED intptr_t dispatch_group_wait(void *group, uint64_t timeout) {
  LT_NEXT(dispatch_group_wait);
  return wait_for(real, group, timeout, "a group (dispatch_group_wait)");
}

// MARK: Queues

// A piece that a worker waits for on the main queue, which the simulator runs.
typedef struct visit {
  lt_follower *follower;
  function work;
  void *context;
  void *done;
} visit;

static void run_visit(void *argument) {
  visit *visit = argument;
  visit->work(visit->context);
  // Before it is woken up: from then on it is waited for again.
  visit->follower->park(visit->follower->context, -1);
  dispatch_semaphore_signal(visit->done);
}

static void wait_for_main(void *queue, void *context, function work) {
  lt_follower *follower = lt_following;
  LT_UNFOLLOWED;
  visit visit = {follower, work, context, dispatch_semaphore_create(0)};
  follower->park(follower->context, 1);
  follower->take(follower->context, (lt_piece){queue, 0, false, run_visit, NULL, &visit});
  dispatch_semaphore_wait(visit.done, forever);
  dispatch_release(visit.done);
}

static bool visits_main(void *queue) {
  return lt_following != NULL && lt_followed_number() != 0 && lt_is_main_queue(queue);
}

static void run_block(void *work) {
  ((struct { void *isa; int flags, reserved; function invoke; } *)work)->invoke(work);
}

// A piece that runs on the thread that has waited for its turn.
typedef struct turn_taken {
  lt_follower *follower;
  function work;
  void *context;
} turn_taken;

static void run_turn_taken(void *argument) {
  turn_taken *turn = argument;
  end_wait(turn->follower);
  turn->work(turn->context);
}

static void wait_for_turn(void (*real)(void *, void *, function), void *queue, void *context,
                          function work) {
  turn_taken turn = {lt_following, work, context};
  begin_wait(turn.follower, "its turn on a queue (dispatch_sync)");
  real(queue, &turn, run_turn_taken);
}

// The flags of a block that libdispatch has made are its own: it goes on whole, and counts as waited
// for until it has run.
static void wait_for_block(void (*real)(void *, void *), void *queue, void *work) {
  lt_follower *follower = lt_following;
  begin_wait(follower, "a piece of work on a queue");
  real(queue, work);
  end_wait(follower);
}

#define SYNC(name)                                                          \
  LT_INTERPOSED void name##_f(void *queue, void *context, function work) {  \
    LT_NEXT(name##_f);                                                      \
    if (lt_following == NULL) return real(queue, context, work);            \
    if (visits_main(queue)) return wait_for_main(queue, context, work);     \
    wait_for_turn(real, queue, context, work);                              \
  }                                                                         \
  LT_INTERPOSED void name(void *queue, void *work) {                        \
    LT_NEXT(name);                                                          \
    if (lt_following == NULL) return real(queue, work);                     \
    if (visits_main(queue)) return wait_for_main(queue, work, run_block);   \
    if (lt_has_flags(work)) return wait_for_block(real, queue, work);       \
    name##_f(queue, work, run_block);                                       \
  }

SYNC(dispatch_sync)
SYNC(dispatch_barrier_sync)

// The queue's own thread may run it.
LT_INTERPOSED void dispatch_async_and_wait(void *queue, void *work) {
  LT_NEXT(dispatch_async_and_wait);
  if (lt_following == NULL) return real(queue, work);
  if (visits_main(queue)) return wait_for_main(queue, work, run_block);
  wait_for_block(real, queue, work);
}

LT_INTERPOSED void dispatch_async_and_wait_f(void *queue, void *context, function work) {
  LT_NEXT(dispatch_async_and_wait_f);
  if (lt_following == NULL) return real(queue, context, work);
  if (visits_main(queue)) return wait_for_main(queue, context, work);
  lt_follower *follower = lt_following;
  begin_wait(follower, "a piece of work on a queue");
  real(queue, context, work);
  end_wait(follower);
}

// MARK: Loops on several threads

typedef struct turns {
  lt_follower *follower;
  void *context;
  function_of_index work;
} turns;

typedef struct turn {
  const turns *turns;
  size_t index;
} turn;

static void run_turn(void *argument) {
  turn *turn = argument;
  turn->turns->work(turn->turns->context, turn->index);
}

static void take_turn(void *argument, size_t index) {
  turns *turns = argument;
  lt_follower *follower = turns->follower;
  turn turn = {turns, index};
  if (lt_following == follower) return run_turn(&turn);
  follower->expect(follower->context, 1);
  follower->run(follower->context, run_turn, &turn);
}

static void run_block_at(void *work, size_t index) {
  struct block { void *isa; int flags, reserved; void (*invoke)(void *, size_t); };
  ((struct block *)work)->invoke(work, index);
}

LT_INTERPOSED void dispatch_apply_f(size_t count, void *queue, void *context,
                                    function_of_index work) {
  LT_NEXT(dispatch_apply_f);
  if (lt_following == NULL) return real(count, queue, context, work);
  turns turns = {lt_following, context, work};
  real(count, queue, &turns, take_turn);
}

LT_INTERPOSED void dispatch_apply(size_t count, void *queue, void *work) {
  LT_NEXT(dispatch_apply);
  if (lt_following == NULL) return real(count, queue, work);
  dispatch_apply_f(count, queue, work, run_block_at);
}

#endif
