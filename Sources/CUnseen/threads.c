// SPDX-License-Identifier: Apache-2.0
//
// How threads that are followed sleep, where they listen, and what threads they make.

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

// MARK: Sleep

static void sleep_for(int64_t nanoseconds, int (*real)(void *), void *argument) {
  lt_follower *follower = lt_following;
  LT_UNFOLLOWED;
  follower->sleep(follower->context, nanoseconds);
  // In real time as well: there are callers that sleep until a real clock says so.
  bool is_simulator = lt_followed_number() == 0;
  if (is_simulator) {
    follower->wait(follower->context, NULL, 1);
  } else {
    follower->nap(follower->context, 1);
  }
  real(argument);
  if (is_simulator) {
    follower->wait(follower->context, NULL, -1);
  } else {
    follower->nap(follower->context, -1);
  }
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
