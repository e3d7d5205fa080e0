// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "unseen.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static _Thread_local uint32_t *watched;

// Work that it does by itself is no work of the app's: nothing is noted until `resume`.
static uint32_t *note(uint32_t kind) {
  uint32_t *kinds = watched;
  if (kinds) *kinds |= kind;
  watched = NULL;
  return kinds;
}

static void resume(uint32_t *kinds) { watched = kinds; }

// MARK: Tasks

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*enqueue)(void *job);
typedef SWIFT void (*enqueue_hook)(void *job, enqueue original);
typedef SWIFT void (*enqueue_later)(unsigned long long delay, void *job);
typedef SWIFT void (*enqueue_later_hook)(unsigned long long delay, void *job,
                                         enqueue_later original);
typedef SWIFT void (*enqueue_at)(long long second, long long nanosecond, long long slack,
                                 long long slack_nanosecond, int clock, void *job);
typedef SWIFT void (*enqueue_at_hook)(long long second, long long nanosecond, long long slack,
                                      long long slack_nanosecond, int clock, void *job,
                                      enqueue_at original);

extern enqueue_hook swift_task_enqueueGlobal_hook;
extern enqueue_hook swift_task_enqueueMainExecutor_hook;
extern enqueue_later_hook swift_task_enqueueGlobalWithDelay_hook;
extern enqueue_at_hook swift_task_enqueueGlobalWithDeadline_hook;

// Another library may have hooked in before.
static enqueue_hook next_global, next_main;
static enqueue_later_hook next_later;
static enqueue_at_hook next_at;

static SWIFT void on_global(void *job, enqueue original) {
  uint32_t *kinds = note(LT_UNSEEN_TASK);
  next_global ? next_global(job, original) : original(job);
  resume(kinds);
}

static SWIFT void on_main(void *job, enqueue original) {
  uint32_t *kinds = note(LT_UNSEEN_TASK);
  next_main ? next_main(job, original) : original(job);
  resume(kinds);
}

static SWIFT void on_later(unsigned long long delay, void *job, enqueue_later original) {
  uint32_t *kinds = note(LT_UNSEEN_TASK);
  next_later ? next_later(delay, job, original) : original(delay, job);
  resume(kinds);
}

static SWIFT void on_at(long long second, long long nanosecond, long long slack,
                        long long slack_nanosecond, int clock, void *job, enqueue_at original) {
  uint32_t *kinds = note(LT_UNSEEN_TASK);
  if (next_at) {
    next_at(second, nanosecond, slack, slack_nanosecond, clock, job, original);
  } else {
    original(second, nanosecond, slack, slack_nanosecond, clock, job);
  }
  resume(kinds);
}

static void hook_in(void) {
  next_global = swift_task_enqueueGlobal_hook;
  swift_task_enqueueGlobal_hook = on_global;
  next_main = swift_task_enqueueMainExecutor_hook;
  swift_task_enqueueMainExecutor_hook = on_main;
  next_later = swift_task_enqueueGlobalWithDelay_hook;
  swift_task_enqueueGlobalWithDelay_hook = on_later;
  next_at = swift_task_enqueueGlobalWithDeadline_hook;
  swift_task_enqueueGlobalWithDeadline_hook = on_at;
}

uint32_t *lt_unseen_watch(uint32_t *kinds) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hook_in);
  uint32_t *before = watched;
  watched = kinds;
  return before;
}

// MARK: Queues and threads

#if defined(__linux__) && !__has_feature(thread_sanitizer)

// Defines `name`, which notes `kind` and goes on to the library's own.
#define FORWARD(kind, result, name, parameters, arguments)     \
  __attribute__((weak, visibility("default"))) result name parameters { \
    static result(*_Atomic real) parameters;                   \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);    \
    uint32_t *kinds = note(kind);                              \
    FORWARD_##result(real arguments) resume(kinds);            \
    RETURN_##result                                            \
  }
#define FORWARD_void(call) call;
#define RETURN_void
#define FORWARD_int(call) int value = call;
#define RETURN_int return value;
#define FORWARD_pointer(call) pointer value = call;
#define RETURN_pointer return value;

// The runtime hands its jobs of the main actor to libdispatch, past the hook.
static uint32_t origin(void *caller) {
  Dl_info from;
  if (!watched || !dladdr(caller, &from) || !from.dli_fname) return LT_UNSEEN_DISPATCH;
  return strstr(from.dli_fname, "swift_Concurrency") ? LT_UNSEEN_TASK : LT_UNSEEN_DISPATCH;
}

typedef void *pointer;
typedef void (*function)(void *);
typedef void (*function_of_index)(void *, size_t);

void dispatch_async(pointer, pointer);
void dispatch_async_f(pointer, pointer, function);
void dispatch_barrier_async(pointer, pointer);
void dispatch_barrier_async_f(pointer, pointer, function);
void dispatch_after(uint64_t, pointer, pointer);
void dispatch_after_f(uint64_t, pointer, pointer, function);
void dispatch_group_async(pointer, pointer, pointer);
void dispatch_group_async_f(pointer, pointer, pointer, function);
void dispatch_group_notify(pointer, pointer, pointer);
void dispatch_group_notify_f(pointer, pointer, pointer, function);
void dispatch_apply(size_t, pointer, pointer);
void dispatch_apply_f(size_t, pointer, pointer, function_of_index);
pointer dispatch_source_create(pointer, uintptr_t, uintptr_t, pointer);

#define DISPATCH(name, parameters, arguments) \
  FORWARD(origin(__builtin_return_address(0)), void, name, parameters, arguments)

DISPATCH(dispatch_async, (pointer queue, pointer block), (queue, block))
DISPATCH(dispatch_async_f, (pointer queue, pointer context, function work), (queue, context, work))
DISPATCH(dispatch_barrier_async, (pointer queue, pointer block), (queue, block))
DISPATCH(dispatch_barrier_async_f, (pointer queue, pointer context, function work),
         (queue, context, work))
DISPATCH(dispatch_after, (uint64_t when, pointer queue, pointer block), (when, queue, block))
DISPATCH(dispatch_after_f, (uint64_t when, pointer queue, pointer context, function work),
         (when, queue, context, work))
DISPATCH(dispatch_group_async, (pointer group, pointer queue, pointer block),
         (group, queue, block))
DISPATCH(dispatch_group_async_f, (pointer group, pointer queue, pointer context, function work),
         (group, queue, context, work))
DISPATCH(dispatch_group_notify, (pointer group, pointer queue, pointer block),
         (group, queue, block))
DISPATCH(dispatch_group_notify_f, (pointer group, pointer queue, pointer context, function work),
         (group, queue, context, work))
DISPATCH(dispatch_apply, (size_t count, pointer queue, pointer block), (count, queue, block))
DISPATCH(dispatch_apply_f, (size_t count, pointer queue, pointer context, function_of_index work),
         (count, queue, context, work))
FORWARD(LT_UNSEEN_DISPATCH, pointer, dispatch_source_create,
        (pointer type, uintptr_t handle, uintptr_t mask, pointer queue),
        (type, handle, mask, queue))
FORWARD(LT_UNSEEN_THREAD, int, pthread_create,
        (pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
         void *argument),
        (thread, attributes, start, argument))

#endif
