// SPDX-License-Identifier: Apache-2.0
//
// Stands before the C library and the NATS client (LD_PRELOAD), and kills its process at a point:
//
//     LT_POINT="lifetrace-rec sync 3 after .lifetrace"
//
// The process by the name that process lists show; write, sync, exchange, remove, have or ack; the
// how-manieth of them; before, during (a write of half the bytes) or after; a part of the file's name
// (exchange: of the new file's), or anything for messages. With LT_POINT_SIGNAL=STOP it stops there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char process[32], call[32], when[32], name[64];
static int number;
static atomic_int count;

__attribute__((constructor)) static void read_point(void) {
  const char *point = getenv("LT_POINT");
  if (!point || sscanf(point, "%31s %31s %d %31s %63s", process, call, &number, when, name) != 5) {
    process[0] = 0;
  }
}

static bool is_this_process(void) {
  char comm[32] = "";
  int file = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? 0 : read(file, comm, sizeof comm - 1);
  if (file >= 0) close(file);
  if (got > 0) comm[got - 1] = 0;
  return strcmp(comm, process) == 0;
}

// Whether this is the call, counted.
static bool is_due(const char *which, const char *file) {
  if (!process[0] || strcmp(which, call) != 0 || !strstr(file, name) || !is_this_process()) {
    return false;
  }
  return atomic_fetch_add(&count, 1) + 1 == number;
}

static bool is_due_on(const char *which, int descriptor) {
  if (!process[0] || strcmp(which, call) != 0) return false;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t got = readlink(link, path, sizeof path - 1);
  if (got < 0) return false;
  path[got] = 0;
  return is_due(which, path);
}

static void end_if(const char *moment) {
  if (strcmp(when, moment) != 0) return;
  const char *other = getenv("LT_POINT_SIGNAL");
  kill(getpid(), other && strcmp(other, "STOP") == 0 ? SIGSTOP : SIGKILL);
}

#define NEXT(symbol) ((__typeof__(&symbol))dlsym(RTLD_NEXT, #symbol))

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
  bool due = is_due_on("write", descriptor);
  if (due) {
    end_if("before");
    if (strcmp(when, "during") == 0) {
      NEXT(pwrite)(descriptor, bytes, size / 2, at);
      end_if("during");
    }
  }
  ssize_t result = NEXT(pwrite)(descriptor, bytes, size, at);
  if (due) end_if("after");
  return result;
}

static int around(bool due, int (*step)(int), int argument) {
  if (due) end_if("before");
  int result = step(argument);
  if (due) end_if("after");
  return result;
}

int fdatasync(int descriptor) {
  return around(is_due_on("sync", descriptor), NEXT(fdatasync), descriptor);
}

int fsync(int descriptor) {
  return around(is_due_on("sync", descriptor), NEXT(fsync), descriptor);
}

int unlink(const char *path) {
  bool due = is_due("remove", path);
  if (due) end_if("before");
  int result = NEXT(unlink)(path);
  if (due) end_if("after");
  return result;
}

long syscall(long which, ...) {
  va_list list;
  va_start(list, which);
  long word[6];
  for (int at = 0; at < 6; at++) word[at] = va_arg(list, long);
  va_end(list);
  bool due = which == SYS_renameat2 && is_due("exchange", (const char *)word[1]);
  if (due) end_if("before");
  long result = NEXT(syscall)(which, word[0], word[1], word[2], word[3], word[4], word[5]);
  if (due) end_if("after");
  return result;
}

typedef struct connection connection;
typedef struct message message;
const char *natsMsg_GetSubject(message *);
int natsConnection_Flush(connection *);

int natsConnection_PublishMsg(connection *to, message *sent) {
  int (*publish)(connection *, message *) = dlsym(RTLD_NEXT, "natsConnection_PublishMsg");
  const char *(*subject_of)(message *) = dlsym(RTLD_NEXT, "natsMsg_GetSubject");
  int (*flush)(connection *) = dlsym(RTLD_NEXT, "natsConnection_Flush");
  const char *subject = subject_of(sent);
  bool is_have = strncmp(subject, "lthave.", 7) == 0, is_ack = strncmp(subject, "$JS.ACK.", 8) == 0;
  bool due = (is_have && is_due("have", subject)) || (is_ack && is_due("ack", subject));
  if (due) end_if("before");
  int result = publish(to, sent);
  if (due && strcmp(when, "after") == 0) {
    flush(to);
    end_if("after");
  }
  return result;
}
