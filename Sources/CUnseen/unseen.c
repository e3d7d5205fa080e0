// SPDX-License-Identifier: Apache-2.0
//
// The threads that are followed; and tasks, where libdispatch cannot be followed.

#define _GNU_SOURCE
#include "following.h"

#include <pthread.h>
#include <stddef.h>
#if defined(__linux__)
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Thread_local lt_follower *lt_following;
static _Thread_local uint32_t number;

uint32_t lt_followed_number(void) { return number; }

#if defined(__linux__)
int32_t lt_thread_id(void) { return (int32_t)syscall(SYS_gettid); }

bool lt_waits_for_threads(int32_t thread) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return false;
  text[length] = 0;
  // Its number and its arguments, of which the fourth is the limit.
  long call;
  unsigned long limit;
  if (sscanf(text, "%ld %*s %*s %*s %lx", &call, &limit) != 2) return false;
  return call == SYS_futex && limit == 0;
}
#else
int32_t lt_thread_id(void) { return 0; }
bool lt_waits_for_threads(int32_t thread) { return false; }
#endif

void lt_unseen_add(uint32_t *kinds, uint32_t kind) {
  __atomic_or_fetch(kinds, kind, __ATOMIC_RELAXED);
}

void lt_note_unseen(uint32_t kind) {
  if (lt_following) lt_unseen_add(lt_following->kinds, kind);
}

// MARK: Tasks

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*enqueue)(void *job);
typedef SWIFT void (*enqueue_hook)(void *job, enqueue original);

extern enqueue_hook swift_task_enqueueGlobal_hook;
extern enqueue_hook swift_task_enqueueMainExecutor_hook;

// Another library may have hooked in before.
static enqueue_hook next_global, next_main;

static SWIFT void on_global(void *job, enqueue original) {
  lt_note_unseen(LT_UNSEEN_TASK);
  next_global ? next_global(job, original) : original(job);
}

static SWIFT void on_main(void *job, enqueue original) {
  lt_note_unseen(LT_UNSEEN_TASK);
  next_main ? next_main(job, original) : original(job);
}

// What cannot be followed by the calls of libdispatch is noted at least.
static void hook_in(void) {
  if (lt_follows()) return;
  next_global = swift_task_enqueueGlobal_hook;
  swift_task_enqueueGlobal_hook = on_global;
  next_main = swift_task_enqueueMainExecutor_hook;
  swift_task_enqueueMainExecutor_hook = on_main;
}

lt_follower *lt_follow(lt_follower *follower, uint32_t thread) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hook_in);
  lt_follower *before = lt_following;
  lt_following = follower;
  number = thread;
  return before;
}
