// SPDX-License-Identifier: Apache-2.0
#include "cevent.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <signal.h>

struct cevent_reply {
  struct evhttp_request *request;
};

typedef struct server {
  cevent_handler handler;
  void *context;
} server;

static const char *header(struct evhttp_request *request, const char *name) {
  const char *value = evhttp_find_header(evhttp_request_get_input_headers(request), name);
  return value ? value : "";
}

static void handle(struct evhttp_request *request, void *context) {
  const server *here = context;
  const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
  const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
  struct evbuffer *body = evhttp_request_get_input_buffer(request);
  size_t count = evbuffer_get_length(body);
  cevent_request asked = {evhttp_request_get_command(request) == EVHTTP_REQ_POST,
                          path ? path : "",
                          header(request, "Content-Type"),
                          header(request, "Content-Encoding"),
                          count ? evbuffer_pullup(body, -1) : NULL,
                          count};
  cevent_reply reply = {request};
  if (count && !asked.body) {
    evhttp_send_error(request, HTTP_INTERNAL, NULL);
    return;
  }
  here->handler(here->context, &asked, &reply);
}

void cevent_answer(cevent_reply *reply, int status, const char *reason, const char *content_type,
                   const char *allow, const uint8_t *body, size_t count) {
  struct evkeyvalq *headers = evhttp_request_get_output_headers(reply->request);
  evhttp_add_header(headers, "Content-Type", content_type);
  if (allow) evhttp_add_header(headers, "Allow", allow);
  struct evbuffer *sent = evbuffer_new();
  if (sent) evbuffer_add(sent, body, count);
  evhttp_send_reply(reply->request, status, reason, sent);
  if (sent) evbuffer_free(sent);
}

static void silent(int severity, const char *message) {
  (void)severity;
  (void)message;
}

static void end(evutil_socket_t number, short what, void *base) {
  (void)number;
  (void)what;
  event_base_loopexit(base, NULL);
}

static void open_door(evutil_socket_t number, short what, void *door) {
  (void)number;
  (void)what;
  evconnlistener_enable(door);
}

// Without room for another connection it would be told of the same one again and again.
static void rest(struct evconnlistener *door, void *context) {
  (void)context;
  struct timeval soon = {0, 100000};
  evconnlistener_disable(door);
  event_base_once(evconnlistener_get_base(door), -1, EV_TIMEOUT, open_door, door, &soon);
}

int cevent_serve(int listener, const cevent_limits *limits, int end_signal, cevent_handler handler, void *context) {
  // A sender that goes away must not end this, and what libevent would print of it helps nobody.
  signal(SIGPIPE, SIG_IGN);
  event_set_log_callback(silent);
  server here = {handler, context};
  struct event_base *base = event_base_new();
  struct evhttp *http = base ? evhttp_new(base) : NULL;
  struct event *ending = http ? evsignal_new(base, end_signal, end, base) : NULL;
  struct evconnlistener *door =
      ending ? evconnlistener_new(base, NULL, NULL, LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_CLOSE_ON_FREE, 0, listener)
             : NULL;
  if (!door || !evhttp_bind_listener(http, door) || evsignal_add(ending, NULL) != 0) return -1;
  evconnlistener_set_error_cb(door, rest);
  evhttp_set_max_headers_size(http, (ev_ssize_t)limits->head_bytes);
  evhttp_set_max_body_size(http, (ev_ssize_t)limits->body_bytes);
  evhttp_set_timeout(http, limits->silence_seconds);
  // What is wrong with a method is said by the handler.
  evhttp_set_allowed_methods(http, UINT16_MAX);
  evhttp_set_gencb(http, handle, &here);
  int result = event_base_dispatch(base);
  event_free(ending);
  evhttp_free(http);
  event_base_free(base);
  return result < 0 ? -1 : 0;
}
