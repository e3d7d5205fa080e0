// SPDX-License-Identifier: Apache-2.0
//
// The page that is wiped on fork, the lock in it, and the decision to join.

#define _GNU_SOURCE
#include "internal.h"

#include <sys/mman.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sched.h>
#endif

lt_control_page lt_control;
LT_TLS lt_thread lt_tls;

#if defined(__linux__)
static void wait_for(_Atomic uint32_t *lock) {
  syscall(SYS_futex, lock, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0);
}
static void wake(_Atomic uint32_t *lock) {
  syscall(SYS_futex, lock, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}
#else
static void wait_for(_Atomic uint32_t *lock) {
  (void)lock;
  sched_yield();
}
static void wake(_Atomic uint32_t *lock) { (void)lock; }
#endif

void lt_shield(void) {
  int before;
  if (lt_tls.shields++ == 0 && pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0) {
    lt_tls.cancel_state = before;
  }
}

void lt_unshield(void) {
  int disabled;
  if (--lt_tls.shields == 0) pthread_setcancelstate(lt_tls.cancel_state, &disabled);
}

void lt_lock_take(_Atomic uint32_t *lock) {
  lt_shield();
  uint32_t seen = 0;
  if (atomic_compare_exchange_strong(lock, &seen, 1)) return;
  while (atomic_exchange(lock, 2) != 0) wait_for(lock);
}

void lt_lock_give(_Atomic uint32_t *lock) {
  if (atomic_exchange(lock, 0) == 2) wake(lock);
  lt_unshield();
}

void lt_lock(void) { lt_lock_take(&lt_this_process()->lock); }
void lt_unlock(void) { lt_lock_give(&lt_this_process()->lock); }

// The child has no lock any more, but the shield of its thread.
static void begin_child(void) { lt_unshield(); }

// Where the kernel cannot wipe the page for us.
static void wipe(void) {
  memset(&lt_control, 0, sizeof lt_control);
  begin_child();
}

// Before main, so that a child made at any time begins with a free lock and undecided.
__attribute__((constructor)) static void prepare_for_fork(void) {
#if defined(__linux__)
  bool wiped = madvise(&lt_control, sizeof lt_control, MADV_WIPEONFORK) == 0;
#else
  bool wiped = false;
#endif
  // The tables are not being changed while a child is made.
  pthread_atfork(lt_lock, lt_unlock, wiped ? begin_child : wipe);
}

uint64_t lt_decide(void) {
  lt_lock();
  uint64_t control = lt_control_value();
  if (control == LT_CONTROL_UNDECIDED) {
    control = lt_join_locked();
    atomic_store_explicit(&lt_control.word, control, memory_order_release);
  }
  lt_unlock();
  return control;
}

bool lt_join(void) {
  uint64_t control = lt_control_value();
  if (control == LT_CONTROL_UNDECIDED) control = lt_decide();
  return control > LT_CONTROL_SINKS;
}

void lt_sinks_listen(void) {
  lt_join();
  uint64_t off = LT_CONTROL_OFF;
  atomic_compare_exchange_strong(&lt_control.word, &off, LT_CONTROL_SINKS);
}
