// SPDX-License-Identifier: Apache-2.0
//
// Threads that are stopped for a while at any instruction of an emit, as on a machine that is busy:
// what lies between a look and a deed is hit by chance, and often.

#define _GNU_SOURCE
#include "emitter.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { runs_ns = 40000, rests_ns = 400000 };

static _Thread_local timer_t timer;

static void run_on(void) {
  struct itimerspec once = {{0, 0}, {0, runs_ns}};
  if (timer_settime(timer, 0, &once, NULL) != 0) _exit(6);
}

static void rest(int number) {
  (void)number;
  nanosleep(&(struct timespec){0, rests_ns}, NULL);
  run_on();
}

void interrupt_this_thread(void) {
  struct sigaction action = {.sa_handler = rest, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
  event.sigev_notify_thread_id = gettid();
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR1);
  if (sigaction(SIGUSR1, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      pthread_sigmask(SIG_UNBLOCK, &own, NULL) != 0) {
    exit(6);
  }
  run_on();
}
