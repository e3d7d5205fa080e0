// SPDX-License-Identifier: Apache-2.0
//
// Processes that belong to no recording, and what they do to one.

#define _GNU_SOURCE
#include "emitter.h"

#include <fcntl.h>
#include <lifetrace_layout.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// Ends the process when its input does.
static void *until_input_ends(void *unused) {
  (void)unused;
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  _exit(0);
}

// Holds the lock of a file until its input ends; whoever `goes` has ended but for one thread, as a
// process that was killed has which the kernel has not let go yet.
int holder_story(const char *path, int goes) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0) return 3;
  pthread_t thread;
  if (pthread_create(&thread, NULL, until_input_ends, NULL) != 0) return 3;
  if (write(STDOUT_FILENO, "\n", 1) != 1) return 4;
  if (goes) pthread_exit(NULL);
  pthread_join(thread, NULL);
  return 0;
}

static int lie(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t bytes = strlen(name);
  if (bytes >= sizeof address.sun_path) return 3;
  memcpy(address.sun_path + 1, name, bytes);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  uint8_t reason = LT_ABSENT_FORBIDDEN;
  int isTold = sendto(file, &reason, 1, 0, (struct sockaddr *)&address, size) == 1;
  close(file);
  return isTold ? 0 : 4;
}

// `count` processes of another user, one after the other, say of a recording that is not theirs
// that they could not join it, and are gone; the last one says so and lives.
int liars_story(const char *name, int count) {
  if (setgid(65534) != 0 || setuid(65534) != 0) return 8;
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child == 0) _exit(lie(name));
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) return 5;
  }
  return lie(name);
}
