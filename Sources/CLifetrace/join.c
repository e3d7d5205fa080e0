// SPDX-License-Identifier: Apache-2.0
//
// How a process becomes a writer: it finds the session, makes its pool whole under a
// temporary name, and renames it.

#if defined(__linux__)
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void say(const char *text) {
  ssize_t count;
  do {
    count = write(STDERR_FILENO, text, strlen(text));
  } while (count < 0 && errno == EINTR);
}

// Reports to the recorder, if there is one, that this process is not recorded; whether that worked.
static bool tell_absence(const char *directory, uint8_t reason) {
  const char *name = strrchr(directory, '/') + 1;
  size_t bytes = strlen(name);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (bytes == 0 || bytes >= sizeof address.sun_path) return false;
  memcpy(address.sun_path + 1, name, bytes);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return false;
  ssize_t count = sendto(file, &reason, 1, MSG_NOSIGNAL, (struct sockaddr *)&address, size);
  close(file);
  return count == 1;
}

// Where that is not heard, as in a network of its own, a mark in the process's memory says that it
// wanted to join: the recorder finds it in /proc, for as long as the process lives.
static void leave_mark(void) {
  int file = memfd_create(LT_ABSENT_MARK, MFD_CLOEXEC);
  if (file < 0) return;
  void *map = mmap(NULL, 1, PROT_NONE, MAP_SHARED, file, 0);
  close(file);
  // A child tries for itself.
  if (map != MAP_FAILED) madvise(map, 1, MADV_DONTFORK);
}

static const lt_session *map_session(const char *directory) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/session", directory) >= (int)sizeof path) return NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    // A session that is over is nothing to speak of; one that is there and closed to us is.
    if (errno == EACCES) {
      tell_absence(directory, LT_ABSENT_FORBIDDEN);
      say("lifetrace: not recording this process: the session belongs to another user\n");
    } else if (tell_absence(directory, LT_ABSENT_UNREACHABLE)) {
      say("lifetrace: not recording this process: the session's directory cannot be reached from "
          "here (another root directory or other mounts?)\n");
    } else {
      leave_mark();
    }
    return NULL;
  }
  struct stat status;
  void *map = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size >= (off_t)sizeof(lt_session)) {
    map = mmap(NULL, sizeof(lt_session), PROT_READ, MAP_SHARED, file, 0);
  }
  close(file);
  if (map == MAP_FAILED) return NULL;
  const lt_session *session = map;
  bool known_clock = session->clock_kind == LT_CLOCK_MONOTONIC ||
                     (session->clock_kind == LT_CLOCK_COUNTER && LT_HAS_COUNTER);
  if (session->magic == LT_SESSION_MAGIC && session->layout_version == LT_LAYOUT_VERSION &&
      known_clock && atomic_load(&session->open) != 0) {
    madvise(map, sizeof(lt_session), MADV_DONTFORK);
    return session;
  }
  bool is_other = session->magic != LT_SESSION_MAGIC ||
                  session->layout_version != LT_LAYOUT_VERSION || !known_clock;
  munmap(map, sizeof(lt_session));
  if (is_other && tell_absence(directory, LT_ABSENT_VERSION)) {
    say("lifetrace: not recording this process: the recorder is of another version\n");
  }
  return NULL;
}

// Says that the process left by itself; without it, it was killed.
static void leave(void) {
  if (lt_control_value() <= LT_CONTROL_SINKS) return;
  atomic_store_explicit(&lt_this_process()->pool->state, LT_POOL_DETACHED, memory_order_release);
}

static void register_leave(void) {
  static _Atomic bool registered;
  if (!atomic_exchange(&registered, true)) atexit(leave);
}

// Nothing is left of a join that failed.
static uint64_t stay_out(const lt_session *session) {
  lt_this_process()->session = NULL;
  munmap((void *)session, sizeof *session);
  return LT_CONTROL_OFF;
}

uint64_t lt_join_locked(void) {
  const char *directory = secure_getenv(LT_SESSION_VARIABLE);
  if (directory == NULL || directory[0] != '/') return LT_CONTROL_OFF;
  const lt_session *session = map_session(directory);
  if (session == NULL) return LT_CONTROL_OFF;

  uint64_t writer[2];
  if (getrandom(writer, sizeof writer, 0) != sizeof writer) return stay_out(session);
  char name[64];
  snprintf(name, sizeof name, "pool-%016llx%016llx", (unsigned long long)writer[0],
           (unsigned long long)writer[1]);

  lt_process *process = lt_this_process();
  process->session = session;
  process->clock_kind = session->clock_kind;
  lt_made_pool made;
  uint64_t bytes_max = session->pool_bytes_max ? session->pool_bytes_max : 64u << 20;
  if (!lt_pool_make(directory, name, bytes_max, LT_TABLES_BYTES, &made)) {
    tell_absence(directory, LT_ABSENT_NO_ROOM);
    say("lifetrace: not recording this process: no room for its events in the session's "
        "directory, /dev/shm or a temporary directory\n");
    return stay_out(session);
  }

  lt_pool_header *pool = made.header;
  pool->writer_high = writer[0];
  pool->writer_low = writer[1];
  lt_identity_fill(pool);
  lt_ending_arm();
  uint64_t used = lt_tables_used();
  memcpy((uint8_t *)pool + pool->header_bytes, lt_tables_bytes(), used);
  process->tables_copied = used;
  atomic_store(&pool->tables_committed, used);
  atomic_store(&pool->state, LT_POOL_LIVE);
  pool->attach_tick = lt_tick();
  pool->layout_version = LT_LAYOUT_VERSION;
  pool->magic = LT_POOL_MAGIC;
  // The session may have ended meanwhile.
  if (!lt_pool_publish(directory, name)) {
    lt_pool_discard(directory, name);
    return stay_out(session);
  }
  register_leave();
  // Any number above the reserved ones; a fork child's differs from its parent's.
  return writer[1] | (1ull << 63);
}

void lt_writer(uint64_t *high, uint64_t *low) {
  bool joined = lt_join();
  *high = joined ? lt_this_process()->pool->writer_high : 0;
  *low = joined ? lt_this_process()->pool->writer_low : 0;
}
#endif
