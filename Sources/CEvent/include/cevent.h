// SPDX-License-Identifier: Apache-2.0
//
// HTTP by libevent, on the thread that asks for it. Behind functions of our own: libevent's headers and those of
// Swift see `fd_set` with different names in it.

#pragma once

#include <stddef.h>
#include <stdint.h>

/// A request whose body has come. All of it lives until it is answered; a header that is missing is empty.
typedef struct cevent_request {
  int is_post;
  const char *path;  // without a query
  const char *content_type;
  const char *content_encoding;
  const uint8_t *body;
  size_t count;
} cevent_request;

/// Where the answer to a request goes.
typedef struct cevent_reply cevent_reply;

/// Has to answer, once, before it returns.
typedef void (*cevent_handler)(void *context, const cevent_request *request, cevent_reply *reply);

typedef struct cevent_limits {
  size_t head_bytes;
  size_t body_bytes;  // one that is longer is answered with 413, in words of libevent's
  int silence_seconds;  // a connection on which nothing comes for so long is closed
} cevent_limits;

/// Serves a socket that listens and does not block, until the process gets `end_signal`; closes it.
///
/// What has come by then is answered. -1 where there is no memory.
int cevent_serve(int listener, const cevent_limits *limits, int end_signal, cevent_handler handler, void *context);

/// `allow` is for the header of that name; NULL for none.
void cevent_answer(cevent_reply *reply, int status, const char *reason, const char *content_type,
                   const char *allow, const uint8_t *body, size_t count);
