// SPDX-License-Identifier: Apache-2.0
//
// Two of these talk over TCP, each recorded by another recorder: what they say bounds the clocks of both.
//
//     talker hear PORTFILE                 waits for one that calls, and answers until it goes
//     talker call PORTFILE TRIPS PAUSE_US  calls, and waits so long between round trips

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lifetrace.h"

struct message {
  uint64_t flow, stamp;
};

static int fail(const char *what) {
  perror(what);
  return 1;
}

static int say(int connection, const char *peer, uint64_t flow) {
  struct message message = {flow, lt_hlc_send()};
  LT_MESSAGE_SEND(peer, flow, sizeof message, message.stamp);
  return write(connection, &message, sizeof message) == sizeof message;
}

static int heard(int connection, const char *peer, struct message *message) {
  if (recv(connection, message, sizeof *message, MSG_WAITALL) != sizeof *message) return 0;
  LT_MESSAGE_RECEIVE(peer, message->flow, sizeof *message, message->stamp);
  return 1;
}

static void hurry(int connection) {
  int one = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static int hear(const char *path) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof place;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&place, size) || listen(listener, 1) ||
      getsockname(listener, (struct sockaddr *)&place, &size))
    return fail("listen");
  // Whole or not there: the caller waits for it.
  char draft[4096];
  snprintf(draft, sizeof draft, "%s.draft", path);
  FILE *file = fopen(draft, "w");
  if (!file || fprintf(file, "%d\n", ntohs(place.sin_port)) < 0 || fclose(file) ||
      rename(draft, path))
    return fail(path);
  int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0) return fail("accept");
  hurry(connection);
  struct message message;
  while (heard(connection, "caller", &message))
    if (!say(connection, "caller", message.flow + 1)) return fail("answer");
  return 0;
}

static int call(const char *path, int trips, unsigned pause) {
  FILE *file = NULL;
  while (!(file = fopen(path, "r"))) usleep(10000);
  int port = 0;
  if (fscanf(file, "%d", &port) != 1 || fclose(file)) return fail(path);
  struct sockaddr_in place = {.sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&place, sizeof place))
    return fail("connect");
  hurry(connection);
  for (int trip = 0; trip < trips; trip++) {
    struct message message;
    if (!say(connection, "hearer", 0x1000 + 2 * (uint64_t)trip) ||
        !heard(connection, "hearer", &message))
      return fail("trip");
    usleep(pause);
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 3 && strcmp(words[1], "hear") == 0) return hear(words[2]);
  if (count == 5 && strcmp(words[1], "call") == 0)
    return call(words[2], atoi(words[3]), (unsigned)atoi(words[4]));
  fputs("usage: talker hear PORTFILE | talker call PORTFILE TRIPS PAUSE_US\n", stderr);
  return 64;
}
