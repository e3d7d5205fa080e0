// SPDX-License-Identifier: Apache-2.0
//
// What travels with a message: sent, received, and as 32 bytes. Its texts are in `context_text.c`.

#include "internal.h"
#include "lifetrace_context.h"

static uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ value >> 27) * 0x94d049bb133111ebull;
  return value ^ value >> 31;
}

static void emit_ordered(uint8_t kind, uint32_t site, uint32_t peer, uint64_t bytes, uint64_t flow,
                         uint64_t clock) {
  lt_record event = {0, site, kind, 4, 0, 0, flow, {peer, bytes, clock, 1}};
  lt_emit_ordered(&event);
}

static void emit_trace(uint32_t site, const lt_context *context, uint64_t parent) {
  lt_emit(LT_KIND_MESSAGE_TRACE, site, context->flow, 3, context->trace_high, context->trace_low,
          parent, 0);
}

// Joins first: a flow is made of the number of the writer, which a process has from then on.
static bool listens(void) {
  return lt_control_value() == LT_CONTROL_UNDECIDED ? lt_join() : lt_enabled();
}

lt_context lt_context_send(uint32_t site, uint32_t peer, uint64_t bytes,
                           const lt_context *parent) {
  lt_context none = {0, 0, 0, 0, 0};
  // A parent may be a trace alone: what one process sends of a request that nothing has come in for.
  bool is_first = parent == NULL || (parent->trace_high | parent->trace_low) == 0;
  if (!listens()) return is_first ? none : *parent;
  lt_context sent = {0, 0, lt_flow(), lt_hlc_send(), 1};
  if (is_first) {
    // As random as the writer's own number, which it is made of.
    sent.trace_low = lt_flow();
    sent.trace_high = mixed(sent.trace_low + 0x9e3779b97f4a7c15ull);
  } else {
    sent.trace_high = parent->trace_high;
    sent.trace_low = parent->trace_low;
    sent.flags = parent->flags;
    // Simulated apps count alike: what led to it tells the flow from one of the app that sent that.
    if (lt_tls.sink != NULL) sent.flow = mixed(sent.flow + parent->flow) | 1;
  }
  // Before the send: what the receiver sees comes after, as close as can be.
  emit_trace(site, &sent, is_first ? 0 : parent->flow);
  emit_ordered(LT_KIND_MESSAGE_SEND, site, peer, bytes, sent.flow, sent.clock);
  return sent;
}

void lt_context_resend(uint32_t site, uint32_t peer, uint64_t bytes, const lt_context *sent) {
  if (lt_context_is_none(sent) || !listens()) return;
  emit_ordered(LT_KIND_MESSAGE_SEND, site, peer, bytes, sent->flow, lt_hlc_send());
}

void lt_context_receive(uint32_t site, uint32_t peer, uint64_t bytes, const lt_context *context) {
  if (!listens()) return;
  bool is_none = lt_context_is_none(context);
  emit_ordered(LT_KIND_MESSAGE_RECEIVE, site, peer, bytes, is_none ? 0 : context->flow,
               lt_hlc_receive(is_none ? 0 : context->clock));
  if (!is_none) emit_trace(site, context, 0);
}

static void put(uint8_t bytes[8], uint64_t value) {
  for (int at = 0; at < 8; at++) bytes[at] = (uint8_t)(value >> (56 - 8 * at));
}

static uint64_t get(const uint8_t bytes[8]) {
  uint64_t value = 0;
  for (int at = 0; at < 8; at++) value = value << 8 | bytes[at];
  return value;
}

void lt_context_encode(const lt_context *context, uint8_t bytes[LT_CONTEXT_BYTES]) {
  memset(bytes, 0, LT_CONTEXT_BYTES);
  if (lt_context_is_none(context)) return;
  put(bytes, context->trace_high);
  put(bytes + 8, context->trace_low);
  put(bytes + 16, context->flow);
  put(bytes + 24, context->clock);
}

lt_context_error lt_context_decode(lt_context *context, const uint8_t *bytes, size_t count) {
  memset(context, 0, sizeof *context);
  if (count == 0) return LT_CONTEXT_ABSENT;
  if (count < LT_CONTEXT_BYTES) return LT_CONTEXT_SHORT;
  lt_context read = {get(bytes), get(bytes + 8), get(bytes + 16), get(bytes + 24), 1};
  if ((read.trace_high | read.trace_low) == 0) return LT_CONTEXT_TRACE_ZERO;
  if (read.flow == 0) return LT_CONTEXT_FLOW_ZERO;
  *context = read;
  return LT_CONTEXT_WELL;
}
