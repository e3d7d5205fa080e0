// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "actor.h"

// A message that nobody hears for so long is a fault of the story.
#define PATIENCE_SECONDS 60

static struct sockaddr_un place(const scene *at, const char *to, const char *from) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int count = snprintf(address.sun_path, sizeof address.sun_path, "%s-from-%s", to, from);
  if (count < 0 || (size_t)count >= sizeof address.sun_path) give_up(at, "a name is too long");
  return address;
}

// A receiver that is not there yet will be.
static void put(const scene *at, const char *to, const void *bytes, size_t count) {
  struct sockaddr_un address = place(at, to, own.name);
  int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (from < 0) give_up(at, "no socket");
  for (int tries = 0; tries < PATIENCE_SECONDS * 100; tries++) {
    if (sendto(from, bytes, count, 0, (struct sockaddr *)&address, sizeof address) ==
        (ssize_t)count) {
      close(from);
      return;
    }
    if (errno != ENOENT && errno != ECONNREFUSED) break;
    usleep(10000);
  }
  give_up(at, "nobody hears");
}

static void take(const scene *at, const char *from, void *bytes, size_t count) {
  struct sockaddr_un address = place(at, own.name, from);
  int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  unlink(address.sun_path);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) give_up(at, "no place to hear");
  if (recv(listener, bytes, count, 0) != (ssize_t)count) give_up(at, "nothing was heard");
  unlink(address.sun_path);
  close(listener);
}

void say(scene *at, uint32_t site, const char *peer, size_t bytes) {
  uint8_t sent[LT_CONTEXT_BYTES];
  lt_context context =
      lt_context_send(site, lt_name(peer), bytes, at->came.flow != 0 ? &at->came : NULL);
  lt_context_encode(&context, sent);
  put(at, peer, sent, sizeof sent);
}

void hear(scene *at, uint32_t site, const char *peer) {
  uint8_t came[LT_CONTEXT_BYTES];
  take(at, peer, came, sizeof came);
  if (lt_context_decode(&at->came, came, sizeof came) != LT_CONTEXT_WELL) give_up(at, "no context");
  lt_context_receive(site, lt_name(peer), sizeof came, &at->came);
}

void relay(const scene *at, const char *from, const char *to) {
  uint8_t came[LT_CONTEXT_BYTES];
  take(at, from, came, sizeof came);
  if (to != NULL) put(at, to, came, sizeof came);
}
