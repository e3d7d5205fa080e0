// SPDX-License-Identifier: Apache-2.0
//
// What threads that are followed wait for, how they sleep, where they listen, and what threads they
// make.
//
// A thread that waits lets others run. On the simulator's own thread that is done by the simulator:
// nobody else would.

#define _GNU_SOURCE
#include "following.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if LT_CAN_FOLLOW

typedef void (*function)(void *);
typedef void (*function_of_index)(void *, size_t);

enum : uint64_t { now = 0, forever = ~UINT64_C(0) };

int64_t lt_delay_until(uint64_t when);
void *dispatch_semaphore_create(intptr_t);
intptr_t dispatch_semaphore_signal(void *);
intptr_t dispatch_semaphore_wait(void *, uint64_t);
intptr_t dispatch_group_wait(void *, uint64_t);
void dispatch_release(void *);
void *_Block_copy(const void *);
void dispatch_sync(void *, void *);
void dispatch_sync_f(void *, void *, function);
void dispatch_barrier_sync(void *, void *);
void dispatch_barrier_sync_f(void *, void *, function);
void dispatch_async_and_wait(void *, void *);
void dispatch_async_and_wait_f(void *, void *, function);
void dispatch_apply(size_t, void *, void *);
void dispatch_apply_f(size_t, void *, void *, function_of_index);

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

static intptr_t wait_for(waiting real, void *object, uint64_t timeout) {
  lt_follower *follower = lt_following;
  if (follower == NULL || timeout == now) return real(object, timeout);
  if (lt_followed_number() != 0) return wait_in_worker(real, object, timeout);
  LT_UNFOLLOWED;
  int64_t deadline = follower->deadline(follower->context, lt_delay_until(timeout));
  while (real(object, now) != 0) {
    switch (follower->pass(follower->context, deadline)) {
      case LT_PASSING_ON: continue;
      case LT_PASSING_OVER: return real(object, now);
      case LT_PASSING_STUCK: return real(object, timeout);
    }
  }
  return 0;
}

LT_INTERPOSED intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
  LT_NEXT(dispatch_semaphore_wait);
  return wait_for(real, semaphore, timeout);
}

LT_INTERPOSED intptr_t dispatch_group_wait(void *group, uint64_t timeout) {
  LT_NEXT(dispatch_group_wait);
  return wait_for(real, group, timeout);
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
  if (lt_following == NULL) return false;
  if (lt_followed_number() != 0 && lt_is_main_queue(queue)) return true;
  lt_follower *follower = lt_following;
  LT_UNFOLLOWED;
  follower->open(follower->context);
  return false;
}

static void run_block(void *work) {
  ((struct { void *isa; int flags, reserved; function invoke; } *)work)->invoke(work);
}

#define SYNC(name)                                        \
  LT_INTERPOSED void name(void *queue, void *work) {      \
    LT_NEXT(name);                                        \
    visits_main(queue) ? wait_for_main(queue, work, run_block) : real(queue, work); \
  }                                                       \
  LT_INTERPOSED void name##_f(void *queue, void *context, function work) { \
    LT_NEXT(name##_f);                                    \
    visits_main(queue) ? wait_for_main(queue, context, work) : real(queue, context, work); \
  }

SYNC(dispatch_sync)
SYNC(dispatch_barrier_sync)
SYNC(dispatch_async_and_wait)

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

// MARK: Sleep

static void sleep_for(int64_t nanoseconds, int (*real)(void *), void *argument) {
  lt_follower *follower = lt_following;
  LT_UNFOLLOWED;
  follower->sleep(follower->context, nanoseconds);
  // In real time as well: there are callers that sleep until a real clock says so.
  real(argument);
}

static int sleep_really(void *argument) {
  struct timespec *left = argument;
  int (*real)(const struct timespec *, struct timespec *) =
      (int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "nanosleep");
  while (real(left, left) != 0 && errno == EINTR) {
  }
  return 0;
}

LT_INTERPOSED int nanosleep(const struct timespec *wanted, struct timespec *left) {
  LT_NEXT(nanosleep);
  if (lt_following == NULL || wanted == NULL || wanted->tv_sec >= INT64_MAX / 1000000000) {
    return real(wanted, left);
  }
  struct timespec time = *wanted;
  sleep_for((int64_t)time.tv_sec * 1000000000 + time.tv_nsec, sleep_really, &time);
  return 0;
}

LT_INTERPOSED int usleep(useconds_t microseconds) {
  struct timespec time = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
  return nanosleep(&time, NULL);
}

LT_INTERPOSED unsigned sleep(unsigned seconds) {
  struct timespec time = {(time_t)seconds, 0};
  return nanosleep(&time, &time) == 0 ? 0 : (unsigned)time.tv_sec;
}

// Real time does not pass here as it does elsewhere.
static void note_limit(void) {
  lt_follower *follower = lt_following;
  if (follower == NULL) return;
  LT_UNFOLLOWED;
  follower->limit(follower->context);
}

LT_INTERPOSED int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                         const struct timespec *limit) {
  LT_NEXT(pthread_cond_timedwait);
  note_limit();
  return real(condition, mutex, limit);
}

LT_INTERPOSED int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  LT_NEXT(poll);
  if (milliseconds != 0) note_limit();
  return real(files, count, milliseconds);
}

// MARK: Sockets

LT_INTERPOSED int listen(int socket, int backlog) {
  LT_NEXT(listen);
  lt_follower *follower = lt_following;
  LT_UNFOLLOWED;
  int error = real(socket, backlog);
  struct stat about;
  if (error == 0 && follower && fstat(socket, &about) == 0) {
    follower->listens(follower->context, about.st_ino);
  }
  return error;
}

// MARK: Threads

typedef struct start {
  lt_follower *follower;
  void *(*body)(void *);
  void *argument;
  void *result;
} start;

static void run_start(void *argument) {
  start *start = argument;
  start->result = start->body(start->argument);
}

static void *follow_thread(void *argument) {
  start start = *(struct start *)argument;
  free(argument);
  start.follower->run(start.follower->context, run_start, &start);
  return start.result;
}

// Threads that libdispatch makes for itself run the work of anybody.
static bool is_dispatch(const void *caller) {
  Dl_info from;
  return dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "libdispatch");
}

LT_INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 void *(*body)(void *), void *argument) {
  LT_NEXT(pthread_create);
  lt_follower *follower = lt_following;
  if (follower && is_dispatch(__builtin_return_address(0))) follower = NULL;
  start *start = follower ? malloc(sizeof *start) : NULL;
  if (start == NULL) return real(thread, attributes, body, argument);
  LT_UNFOLLOWED;
  *start = (struct start){follower, body, argument, NULL};
  follower->expect(follower->context, 1);
  int error = real(thread, attributes, follow_thread, start);
  if (error != 0) {
    follower->expect(follower->context, -1);
    free(start);
  }
  return error;
}

#endif
