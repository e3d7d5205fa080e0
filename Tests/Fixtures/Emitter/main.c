// SPDX-License-Identifier: Apache-2.0
//
// A program that emits, for tests to run, kill and read: `Emitter STORY [ARGUMENT]...`.

#define _GNU_SOURCE
#include "emitter.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void emit_numbers(uint64_t identity, uint64_t first, uint64_t count) {
  uint32_t site = LT_SITE("number");
  for (uint64_t number = first; number < first + count; number++) {
    lt_emit(LT_KIND_WORK_BEGIN, site, identity, 1, number, 0, 0, 0);
  }
}

typedef struct numbers {
  uint64_t identity, count;
} numbers;

static bool are_interrupted = false;

static void *emitting_thread(void *argument) {
  numbers *task = argument;
  if (are_interrupted) interrupt_this_thread();
  emit_numbers(task->identity, 0, task->count);
  return NULL;
}

void run_threads(uint64_t count, uint64_t each, uint64_t together) {
  pthread_t *threads = calloc(together, sizeof *threads);
  numbers *tasks = calloc(together, sizeof *tasks);
  for (uint64_t first = 0; first < count; first += together) {
    for (uint64_t at = 0; at < together; at++) {
      tasks[at] = (numbers){1 + first + at, each};
      if (pthread_create(&threads[at], NULL, emitting_thread, &tasks[at]) != 0) exit(3);
    }
    for (uint64_t at = 0; at < together; at++) pthread_join(threads[at], NULL);
  }
  free(threads);
  free(tasks);
}

// Says each number after its emit has returned, until it is killed: what was said is committed.
static void count_aloud(void) {
  uint32_t site = LT_SITE("number");
  for (uint64_t number = 0;; number++) {
    lt_emit(LT_KIND_DATA_DIRTY, site, 0, 1, number, 0, 0, 0);
    if (write(STDOUT_FILENO, &number, sizeof number) != sizeof number) exit(4);
  }
}

static void families(uint64_t count) {
  uint32_t object = lt_name("draft.txt");
  for (uint64_t number = 0; number < count; number++) {
    LT_MARK("filler");
    lt_emit(LT_KIND_WORK_BEGIN, 0, 1, 1, number, 0, 0, 0);
    if (number % 64 == 0) lt_emit(LT_KIND_DATA_DIRTY, 0, object, 1, number, 0, 0, 0);
  }
}

static void many_strings(uint64_t count) {
  char text[4096];
  memset(text, 'x', sizeof text);
  for (uint64_t number = 0; number < count; number++) {
    int used = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    text[used] = '-';
    LT_EMIT(LT_KIND_LOG, "", 0, 1, lt_name_bytes(text, sizeof text), 0, 0, 0);
  }
}

// Is killed in the middle of a save: the kernel kills who writes more than it may.
static void cut_save(const char *path) {
  static char text[10000];
  struct rlimit limit = {1000, 1000}, none = {0, 0};
  uint32_t draft = lt_name("draft.txt");
  // Whoever runs this may ignore or block it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
  signal(SIGXFSZ, SIG_DFL);
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &limit);
  LT_DATA_DIRTY(draft, sizeof text);
  LT_SAVE(draft, path, text, sizeof text);
}

static void *cancelled_thread(void *argument) {
  pthread_cancel(pthread_self());
  LT_MARK("from a thread that is being cancelled");
  if (argument != NULL) LT_SAVE(lt_name("draft.txt"), (const char *)argument, "whole", 5);
  pthread_testcancel();
  return NULL;
}

// Says `alive` if the end of the thread does not keep the others from emitting.
static int cancel(const char *path) {
  pthread_t thread;
  void *result = NULL;
  if (pthread_create(&thread, NULL, cancelled_thread, (void *)path) != 0) return 3;
  pthread_join(thread, &result);
  alarm(30);
  LT_MARK("main goes on");
  lt_name("a name of its own");
  puts(result == PTHREAD_CANCELED ? "alive" : "not cancelled");
  return 0;
}

// Secrets that stand across every cut.
static void cut_texts(void) {
  static char text[6000];
  memset(text, 'z', sizeof text - 1);
  memcpy(text + 4060, "token=0123456789abcdef0123456789abcdef", 38);
  LT_CONFIGURE("app", LT_ROLE_APP, "starting with token=0123456789abcdef0123456789abcdef",
               "version token=0123456789abcdef0123456789abcdef");
  LT_LOG(text, LT_LOG_INFO);
  // Not cut, and the same bytes as what is left of the other.
  text[4096] = 0;
  LT_LOG(text, LT_LOG_INFO);
}

int main(int count, char **arguments) {
  const char *story = count > 1 ? arguments[1] : "";
  uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : 0;
  uint64_t second = count > 3 ? strtoull(arguments[3], NULL, 10) : 0;
  are_interrupted = strcmp(story, "interrupted") == 0;
  if (strcmp(story, "numbers") == 0) {
    emit_numbers(0, 0, first);
  } else if (strcmp(story, "threads") == 0 || are_interrupted) {
    run_threads(first, second, count > 4 ? strtoull(arguments[4], NULL, 10) : first);
  } else if (strcmp(story, "aloud") == 0) {
    count_aloud();
  } else if (strcmp(story, "families") == 0) {
    families(first);
  } else if (strcmp(story, "strings") == 0) {
    many_strings(first);
  } else if (strcmp(story, "fork") == 0) {
    return fork_story(first != 0);
  } else if (strcmp(story, "exec") == 0) {
    emit_numbers(1, 0, 10);
    execl("/proc/self/exe", arguments[0], "numbers", "20", NULL);
    return 5;
  } else if (strcmp(story, "crash") == 0) {
    emit_numbers(0, 0, first);
    raise(SIGKILL);
  } else if (strcmp(story, "unsaved") == 0) {
    // Ends with an edit that nothing has saved.
    LT_DATA_DIRTY(lt_name("draft.txt"), 900);
  } else if (strcmp(story, "split") == 0) {
    // Stops between the clock read of the first number and its commit.
    lt_record *record = lt_emit_begin(LT_KIND_MARK, LT_SITE("split"), 0, 0);
    raise(SIGSTOP);
    lt_emit_commit(record);
    emit_numbers(0, 1, 1);
  } else if (strcmp(story, "limited") == 0) {
    // Files of at most `first` bytes, addresses of at most `second`.
    struct rlimit file = {first, first}, addresses = {second, second};
    if (first != 0) setrlimit(RLIMIT_FSIZE, &file);
    if (second != 0) setrlimit(RLIMIT_AS, &addresses);
    emit_numbers(0, 0, 50000);
  } else if (strcmp(story, "tmpfs") == 0 && count > 5) {
    return tmpfs_story(arguments[2], arguments[3], arguments[4], strtoull(arguments[5], NULL, 10));
  } else if (strcmp(story, "sidecar") == 0 && count > 2) {
    return sidecar_story(arguments[2]);
  } else if (strcmp(story, "savers") == 0 && count > 3) {
    return savers_story(arguments[2], (int)second);
  } else if (strcmp(story, "progress") == 0 && count > 5) {
    return progress_story(arguments[2], second, strtoull(arguments[4], NULL, 10),
                          strtoull(arguments[5], NULL, 10));
  } else if (strcmp(story, "nobody") == 0) {
    // Becomes another user before its first event.
    if (setgid(65534) != 0 || setuid(65534) != 0) return 8;
    emit_numbers(0, 0, first);
  } else if (strcmp(story, "without-pidfd") == 0 && count > 2) {
    return without_pidfd_story(arguments + 2);
  } else if (strcmp(story, "holder") == 0 && count > 3) {
    return holder_story(arguments[2], second != 0);
  } else if (strcmp(story, "liars") == 0 && count > 3) {
    return liars_story(arguments[2], (int)second);
  } else if (strcmp(story, "cut-save") == 0 && count > 2) {
    cut_save(arguments[2]);
  } else if (strcmp(story, "cancel") == 0) {
    return cancel(count > 2 ? arguments[2] : NULL);
  } else if (strcmp(story, "cut-texts") == 0) {
    cut_texts();
  } else if (strcmp(story, "tour") == 0 && count > 2) {
    return tour_story(arguments[2]);
  } else {
    fprintf(stderr, "Emitter: no story '%s'\n", story);
    return 2;
  }
  return 0;
}
