// SPDX-License-Identifier: Apache-2.0
//
// The identity of this process, by its own words, its environment and the kernel.

#if defined(__linux__)
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static struct {
  char app[128];
  char reason[32];
  char version[32];
  uint32_t cut;  // lt_cut
  uint32_t role;
  pid_t pid;  // of the process that said so
} said;

// `cut` is in `cuts` afterwards where the text was longer than the room.
static void copy(char *to, size_t room, const char *from, uint32_t cut, uint32_t *cuts) {
  size_t count = strnlen(from, room - 1);
  *cuts = from[count] != 0 ? *cuts | cut : *cuts & ~cut;
  // A name is cut between characters.
  while (count > 0 && from[count] != 0 && ((unsigned char)from[count] & 0xc0) == 0x80) count--;
  memset(to, 0, room);
  memcpy(to, from, count);
}

void lt_configure(const char *app, uint32_t role, const char *reason, const char *version) {
  lt_lock();
  if (app) copy(said.app, sizeof said.app, app, LT_CUT_APP, &said.cut);
  if (reason) copy(said.reason, sizeof said.reason, reason, LT_CUT_REASON, &said.cut);
  if (version) copy(said.version, sizeof said.version, version, LT_CUT_VERSION, &said.cut);
  said.role = role;
  said.pid = getpid();
  lt_unlock();
}

// Field 22 of /proc/self/stat, behind a name that may hold anything.
static uint64_t start_time(void) {
  char text[1024];
  int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  const char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at + 1, NULL, 10);
}

// What the host said of this process holds for it alone: its own children must not inherit it.
// Blanked in place, because setenv is not safe beside other threads.
//
// A library that observes a process leaves them as they are: they may be meant for an SDK in what the
// process will execute. It knows by other means which process the host has launched.
#if defined(LT_OBSERVER)
bool lt_observer_is_launched(void);
#endif
static bool take_variable(const char *name, char *to, size_t room, uint32_t cut, uint32_t *cuts) {
  char *value = secure_getenv(name);
  if (value == NULL || value[0] == 0) return false;
#if defined(LT_OBSERVER)
  if (!lt_observer_is_launched()) return false;
#endif
  copy(to, room, value, cut, cuts);
#if !defined(LT_OBSERVER)
  memset(value, 0, strlen(value));
#endif
  return true;
}

static uint32_t role_named(const char *name, uint32_t otherwise) {
  static const char *const names[] = {"app", "extension", "daemon", "server", "harness"};
  for (uint32_t role = 0; role < sizeof names / sizeof *names; role++) {
    if (strcmp(name, names[role]) == 0) return role;
  }
  return otherwise;
}

static uint64_t hex(const char *text, size_t count) {
  uint64_t value = 0;
  for (size_t at = 0; at < count; at++) {
    char digit = text[at];
    uint64_t part = digit >= '0' && digit <= '9'   ? (uint64_t)(digit - '0')
                    : digit >= 'a' && digit <= 'f' ? (uint64_t)(digit - 'a' + 10)
                                                   : 0;
    value = value << 4 | part;
  }
  return value;
}

void lt_identity_fill(lt_pool_header *pool) {
  char role[16] = "", previous[33] = "";
  uint32_t cuts = said.cut, other = 0;
  pool->pid = (uint32_t)getpid();
  pool->pid_start = start_time();
  pool->role = said.role;
  copy(pool->process, sizeof pool->process, program_invocation_short_name, LT_CUT_PROCESS, &cuts);
  if (said.app[0]) {
    memcpy(pool->app, said.app, sizeof pool->app);
  } else {
    copy(pool->app, sizeof pool->app, program_invocation_short_name, LT_CUT_APP, &cuts);
  }
  memcpy(pool->version, said.version, sizeof pool->version);
  // A fork child was not launched for its parent's reason.
  bool child = said.pid != 0 && said.pid != getpid();
  if (child) {
    copy(pool->reason, sizeof pool->reason, "fork", LT_CUT_REASON, &cuts);
  } else {
    memcpy(pool->reason, said.reason, sizeof pool->reason);
  }
  said.pid = getpid();

  take_variable("LIFETRACE_APP", pool->app, sizeof pool->app, LT_CUT_APP, &cuts);
  take_variable("LIFETRACE_REASON", pool->reason, sizeof pool->reason, LT_CUT_REASON, &cuts);
  if (take_variable("LIFETRACE_ROLE", role, sizeof role, 0, &other)) {
    pool->role = role_named(role, pool->role);
  }
  if (take_variable("LIFETRACE_PREVIOUS", previous, sizeof previous, 0, &other) &&
      strlen(previous) == 32) {
    pool->previous_high = hex(previous, 16);
    pool->previous_low = hex(previous + 16, 16);
  }
  // Its children are for the same test.
  const char *test = secure_getenv("LIFETRACE_TEST");
  if (test == NULL || test[0] == 0) test = secure_getenv("PYTEST_CURRENT_TEST");
  if (test != NULL) copy(pool->test, sizeof pool->test, test, LT_CUT_TEST, &cuts);
  pool->cut = cuts;
  // For the children that this process forks.
  memcpy(said.app, pool->app, sizeof said.app);
  said.cut = cuts & ~(uint32_t)(LT_CUT_PROCESS | LT_CUT_TEST);
  said.role = pool->role;
}
#endif
