// SPDX-License-Identifier: Apache-2.0
//
// What travels with a message, so that its receive is tied to its send in whatever process, on whatever
// machine, and through programs that know nothing of lifetrace.
//
//     lt_context sent = LT_SEND("server", length, NULL);              // in the client
//     char header[LT_TRACEPARENT_ROOM];
//     lt_context_traceparent(&sent, header, sizeof header);
//
//     lt_context came;                                                // in the server
//     lt_context_error error = lt_context_read(&came, text, strlen(text), NULL, 0);
//     if (error) fprintf(stderr, "traceparent: %s\n", lt_context_error_text(error));
//     LT_RECEIVE("client", length, &came);
//     lt_context on = LT_SEND("store", length, &came);                // in the course of what came
//
// It is a trace context of the W3C (https://www.w3.org/TR/trace-context): the span id is the flow of
// the message, and `lt=` in the tracestate the sender's hybrid logical clock. So a request of any peer with
// OpenTelemetry is tied too. A message that is sent again carries the same context, and one context may
// arrive at several: the first send is before all of them.

#pragma once

#include "lifetrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// All 0: no context.
typedef struct lt_context {
  uint64_t trace_high;  // the halves of the trace id, never both 0 in a context
  uint64_t trace_low;
  uint64_t flow;        // of this message; the parent id of a traceparent; never 0 in a context
  uint64_t clock;       // the sender's hybrid logical clock; 0 where it is not known
  uint8_t flags;        // of the traceparent: bit 0, sampled; bit 1, the trace id is random
} lt_context;

// What a text or bytes lack.
typedef enum lt_context_error {
  LT_CONTEXT_WELL = 0,
  LT_CONTEXT_ABSENT,       // nothing, or nothing but blanks
  LT_CONTEXT_SHORT,        // fewer bytes than a context has
  LT_CONTEXT_LONG,         // more than version 00 allows, or no dash behind those of a later version
  LT_CONTEXT_DASHES,       // a dash is missing between version, trace id, span id and flags
  LT_CONTEXT_DIGITS,       // anything else than 0-9 and a-f where a number is
  LT_CONTEXT_VERSION,      // version ff, which is forbidden
  LT_CONTEXT_TRACE_ZERO,   // a trace id of zeros
  LT_CONTEXT_FLOW_ZERO,    // a span id of zeros
} lt_context_error;

// What was wrong, as a sentence without a full stop. Lives as long as the process.
const char *lt_context_error_text(lt_context_error error);

#define LT_CONTEXT_BYTES 32u              // the fixed form: trace id, flow, clock, each with its highest byte first
#define LT_TRACEPARENT_ROOM 56u           // 55 bytes and a 0
#define LT_TRACESTATE_ROOM 513u           // 512 bytes and a 0
#define LT_TRACESTATE_MEMBERS_MAX 32u

LT_INLINE bool lt_context_is_none(const lt_context *context) {
  return context == NULL || context->flow == 0 || (context->trace_high | context->trace_low) == 0;
}

// A message leaves for `peer`, a name, in the course of `parent`, or of nothing (NULL): emits it, and answers what
// to put into it, of the same trace. A parent whose flow is 0 is a trace alone: what a process sends by itself
// for one request is of one. Call it just before sending. Where no recorder listens it answers `parent` itself,
// so that what came in goes on to those behind.
lt_context lt_context_send(uint32_t site, uint32_t peer, uint64_t bytes, const lt_context *parent);
// The same message leaves once more.
void lt_context_resend(uint32_t site, uint32_t peer, uint64_t bytes, const lt_context *sent);
// A message arrived with `context`. Without one, NULL, it is tied to no send. Call it just after receiving.
void lt_context_receive(uint32_t site, uint32_t peer, uint64_t bytes, const lt_context *context);

LT_INLINE lt_context lt_context_passed(const lt_context *parent) {
  lt_context none = {0, 0, 0, 0, 0};
  return parent == NULL ? none : *parent;
}

#define LT_SEND(peer, bytes, parent)                                                    \
  (lt_enabled() ? lt_context_send(LT_SITE(""), lt_name(peer), (uint64_t)(bytes), (parent)) \
                : lt_context_passed(parent))
#define LT_SEND_AGAIN(peer, bytes, sent) \
  (lt_enabled() ? lt_context_resend(LT_SITE(""), lt_name(peer), (uint64_t)(bytes), (sent)) : (void)0)
#define LT_RECEIVE(peer, bytes, context)                                                  \
  (lt_enabled() ? lt_context_receive(LT_SITE(""), lt_name(peer), (uint64_t)(bytes), (context)) \
                : (void)0)

// ---------------------------------------------------------------- as text

// Each writes a text that ends with 0, and answers its length; 0, and an empty text, for no context or without room.
size_t lt_context_traceparent(const lt_context *context, char *text, size_t room);
// `others` is the tracestate that came in, NULL for none: what other vendors have put there is kept behind
// ours, at most 32 members, and 512 bytes or `room`; one that does not fit goes, the last first.
size_t lt_context_tracestate(const lt_context *context, const char *others, char *text, size_t room);

// Reads a traceparent, blanks around it aside, and the clock from the tracestate, either of which may be NULL with
// 0 bytes. What is wrong leaves no context. A tracestate that breaks the rules is as none: there is no clock.
// Of versions after 00 what version 00 has is read.
lt_context_error lt_context_read(lt_context *context, const char *traceparent, size_t count,
                                 const char *tracestate, size_t state_count);
// Whether a tracestate keeps to the rules of the W3C: members, keys, values, none twice.
bool lt_tracestate_is_valid(const char *tracestate, size_t count);

// ---------------------------------------------------------------- as environment

// What the process was started with: TRACEPARENT and TRACESTATE. The texts, which stand in the
// environment, are answered too, NULL for one that is not there; who does not want one gives NULL.
lt_context_error lt_context_of_environment(lt_context *context, const char **traceparent,
                                           const char **tracestate);
// "TRACEPARENT=...": an entry for the environment of a child.
#define LT_CONTEXT_ENTRY_ROOM (12u + LT_TRACEPARENT_ROOM)
size_t lt_context_entry(const lt_context *context, char *text, size_t room);

// ---------------------------------------------------------------- as 32 bytes

void lt_context_encode(const lt_context *context, uint8_t bytes[LT_CONTEXT_BYTES]);
// Bytes behind the 32 are not looked at; zeros are no context, and said to be so. Flags are not in them: 01 is taken.
lt_context_error lt_context_decode(lt_context *context, const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif
