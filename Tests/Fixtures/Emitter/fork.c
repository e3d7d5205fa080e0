// SPDX-License-Identifier: Apache-2.0
//
// A process forks, without exec, while another of its threads emits: parent and child go on.

#define _GNU_SOURCE
#include "emitter.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int done;

static void *busy(void *unused) {
  (void)unused;
  uint64_t number = 0;
  char text[32] = "busy-";
  while (!atomic_load(&done)) {
    emit_numbers(2, number, 100);
    number += 100;
    // The name table is at work too when the child is made.
    for (uint64_t rest = number / 100, at = 5; at < 12; at++, rest /= 10) {
      text[at] = (char)('0' + rest % 10);
    }
    lt_name_bytes(text, 12);
  }
  return NULL;
}

static void *emit_in_child(void *unused) {
  (void)unused;
  emit_numbers(4, 0, 50);
  return NULL;
}

int fork_story(int raw) {
  pthread_t thread;
  emit_numbers(1, 0, 50);
  if (pthread_create(&thread, NULL, busy, NULL) != 0) return 3;
  for (int round = 0; round < 8; round++) {
    pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child < 0) return 4;
    if (child == 0) {
      if (!raw) {
        // Another thread of the child joins first; this one still knows its parent's block.
        if (pthread_create(&thread, NULL, emit_in_child, NULL) != 0) _exit(5);
        pthread_join(thread, NULL);
      }
      emit_numbers(3, 0, 50);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 6;
  }
  atomic_store(&done, 1);
  pthread_join(thread, NULL);
  emit_numbers(1, 50, 50);
  return 0;
}
