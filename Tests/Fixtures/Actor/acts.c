// SPDX-License-Identifier: Apache-2.0
//
// What each word of a part does; the table at the end has all of them, and how many words follow.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "actor.h"

typedef void act(scene *at, uint32_t site, char *const *words);

static void begin(scene *at, uint32_t site, uint32_t kind, uint32_t end, uint64_t count, uint64_t a0,
                  uint64_t a1, uint64_t a2) {
  if (at->depth == OPEN_MAX) give_up(at, "too much is open");
  lt_span span = {lt_next_id(), site};
  lt_emit(kind, site, span.id, count, a0, a1, a2, 0);
  at->ends[at->depth] = end;
  at->open[at->depth++] = span;
}

static void over(scene *at, uint32_t site, char *const *words) {
  if (at->depth == 0) give_up(at, "nothing is open");
  lt_span span = at->open[--at->depth];
  lt_emit(at->ends[at->depth], site, span.id, 0, 0, 0, 0, 0);
}

static void work(scene *at, uint32_t site, char *const *words) {
  begin(at, site, LT_KIND_WORK_BEGIN, LT_KIND_WORK_END, 2, LT_WORK_OTHER, 0, 0);
}

static void turn(scene *at, uint32_t site, char *const *words) {
  begin(at, site, LT_KIND_TURN_BEGIN, LT_KIND_TURN_END, 0, 0, 0, 0);
}

static void wait_on(scene *at, uint32_t site, char *const *words) {
  begin(at, site, LT_KIND_WAIT_BEGIN, LT_KIND_WAIT_END, 1, lt_name(words[0]), 0, 0);
}

static void deadline(scene *at, uint32_t site, char *const *words) {
  begin(at, site, LT_KIND_DEADLINE_OPEN, LT_KIND_DEADLINE_CLOSE, 3, lt_name(words[0]),
        strtoull(words[1], NULL, 10) * 1000000, 0);
}

static void pause_for(scene *at, uint32_t site, char *const *words) {
  long milliseconds = strtol(words[0], NULL, 10);
  struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

static void until(scene *at, uint32_t site, char *const *words) {
  while (access(words[0], F_OK) != 0) usleep(5000);
}

static void touch(scene *at, uint32_t site, char *const *words) {
  int file = open(words[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) give_up(at, words[0]);
  close(file);
}

static void note(scene *at, uint32_t site, char *const *words) {
  lt_emit(LT_KIND_LOG, site, 0, 2, lt_name(words[0]), 1, 0, 0);
}

// ---------------------------------------------------------------- messages

static void hear_from(scene *at, uint32_t site, char *const *words) { hear(at, site, words[0]); }
static void send_to(scene *at, uint32_t site, char *const *words) { say(at, site, words[0], 64); }

// What is sent to somebody who is not there any more.
static void post(scene *at, uint32_t site, char *const *words) {
  lt_context_send(site, lt_name(words[0]), 64, at->came.flow != 0 ? &at->came : NULL);
}

// Asks, and waits for the answer; what is in hand afterwards is what was in hand before.
static void ask(scene *at, uint32_t site, char *const *words) {
  lt_context before = at->came;
  say(at, site, words[0], 64);
  wait_on(at, site, words);
  hear(at, site, words[0]);
  over(at, site, words);
  at->came = before;
}

static void hand_on(scene *at, uint32_t site, char *const *words) { relay(at, words[0], words[1]); }
static void swallow(scene *at, uint32_t site, char *const *words) { relay(at, words[0], NULL); }

// ---------------------------------------------------------------- data

static void path_of(const char *object, char path[512]) {
  const char *folder = getenv("ACTOR_DISK");
  if (folder == NULL) folder = getenv("LIFETRACE_DATA");
  snprintf(path, 512, "%s/%s", folder == NULL ? "." : folder, object);
}

static void edit(scene *at, uint32_t site, char *const *words) {
  uint32_t object = lt_name(words[0]);
  size_t count = strlen(words[1]);
  lt_emit(LT_KIND_DATA_DIRTY, site, object, 3, lt_version_next(object), count,
          lt_hash(words[1], count), 0);
}

static void save(scene *at, uint32_t site, char *const *words) {
  char path[512];
  path_of(words[0], path);
  lt_save(lt_name(words[0]), site, path, words[1], strlen(words[1]), LT_LEVEL_DISK);
}

// An edit of so many kilobytes, other ones each time, and its save.
static void export(scene *at, uint32_t site, char *const *words) {
  size_t count = strtoull(words[1], NULL, 10) * 1024;
  uint32_t object = lt_name(words[0]);
  char *bytes = malloc(count), path[512];
  path_of(words[0], path);
  if (bytes == NULL) give_up(at, words[0]);
  uint64_t version = lt_version_next(object);
  memset(bytes, (int)version, count);
  lt_emit(LT_KIND_DATA_DIRTY, site, object, 3, version, count, lt_hash(bytes, count), 0);
  lt_save(object, site, path, bytes, count, LT_LEVEL_DISK);
  free(bytes);
}

static void restore(scene *at, uint32_t site, char *const *words) {
  char path[512];
  void *bytes = NULL;
  size_t count = 0;
  uint64_t version = 0;
  path_of(words[0], path);
  lt_restore(lt_name(words[0]), site, path, &bytes, &count, &version);
  free(bytes);
}

static void discard(scene *at, uint32_t site, char *const *words) {
  char path[512];
  uint32_t object = lt_name(words[0]);
  path_of(words[0], path);
  lt_data_discarded(object, site, lt_version(object));
  unlink(path);
}

// A lock of the file of that name in the stage, which all processes there see.
static void lock(scene *at, uint32_t site, char *const *words) {
  at->lock = open(words[0], O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (at->lock < 0) give_up(at, words[0]);
  wait_on(at, site, words);
  flock(at->lock, LOCK_EX);
  over(at, site, words);
  lt_emit(LT_KIND_RESOURCE_ACQUIRE, site, lt_name(words[0]), 1, LT_RESOURCE_LOCK, 0, 0, 0);
}

static void unlock(scene *at, uint32_t site, char *const *words) {
  lt_emit(LT_KIND_RESOURCE_RELEASE, site, lt_name(words[0]), 1, LT_RESOURCE_LOCK, 0, 0, 0);
  close(at->lock);
}

static void queue_save(scene *at, uint32_t site, char *const *words) {
  lt_emit(LT_KIND_RESOURCE_ACQUIRE, site, lt_name(words[0]), 1, LT_RESOURCE_PENDING_SAVE, 0, 0, 0);
}

static void drop(scene *at, uint32_t site, char *const *words) {
  lt_record event = {0, site, LT_KIND_NOTIFICATION_DROPPED, 3, 0, 0, lt_name(words[0]),
                     {0, 0, lt_name(words[1]), 0}};
  lt_emit_ordered(&event);
}

// ---------------------------------------------------------------- the system

static void complete(scene *at, uint32_t site, char *const *words) {
  tell_host("{\"op\":\"completed\",\"wake\":%llu,\"result\":\"newData\"}", at->wake);
}

static void said(scene *at, uint32_t site, char *const *words) {
  tell_host("{\"op\":\"said\",\"text\":\"%s\"}", words[0]);
}

static void serve(scene *at, uint32_t site, char *const *words) {
  tell_host("{\"op\":\"service\",\"mode\":\"%s\",\"runs\":true}", words[0]);
}

typedef struct start {
  const char *section;
  unsigned long long wake;
} start;

static void *run(void *given) {
  start begun = *(start *)given;
  free(given);
  play(begun.section, begun.wake);
  return NULL;
}

static void spawn(scene *at, uint32_t site, char *const *words) {
  pthread_t thread;
  start *begun = malloc(sizeof *begun);
  if (begun == NULL) give_up(at, words[0]);
  *begun = (start){words[0], at->wake};
  if (pthread_create(&thread, NULL, run, begun) != 0) give_up(at, words[0]);
  pthread_detach(thread);
}

static const struct {
  const char *word;
  int count;
  act *does;
} acts[] = {
    {"work", 1, work},       {"turn", 1, turn},         {"deadline", 2, deadline}, {"over", 0, over},
    {"pause", 1, pause_for}, {"note", 1, note},         {"hear", 1, hear_from},    {"send", 1, send_to},
    {"ask", 1, ask},         {"relay", 2, hand_on},     {"swallow", 1, swallow},   {"edit", 2, edit},
    {"save", 2, save},       {"export", 2, export},     {"restore", 1, restore},   {"lock", 1, lock},
    {"unlock", 1, unlock},   {"queue", 1, queue_save},  {"drop", 2, drop},         {"said", 1, said},
    {"complete", 0, complete}, {"spawn", 1, spawn},     {"discard", 1, discard},   {"until", 1, until},
    {"touch", 1, touch},     {"serve", 1, serve},       {"post", 1, post},
};

bool perform(scene *at, const line *words) {
  for (size_t index = 0; index < sizeof acts / sizeof *acts; index++) {
    if (strcmp(acts[index].word, words->words[0]) != 0 || acts[index].count != words->count - 1) {
      continue;
    }
    bool is_named = words->count > 1 && (acts[index].does == work || acts[index].does == turn ||
                                         acts[index].does == lock || acts[index].does == ask);
    uint32_t site =
        lt_site(is_named ? words->words[1] : "", own.file, (uint32_t)at->line + 1, "");
    acts[index].does(at, site, words->words + 1);
    return true;
  }
  return false;
}
