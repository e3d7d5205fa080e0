// SPDX-License-Identifier: Apache-2.0
//
// The texts of a context: traceparent and tracestate, by https://www.w3.org/TR/trace-context, and the environment.

#include <stdio.h>

#include "internal.h"
#include "lifetrace_context.h"

const char *lt_context_error_text(lt_context_error error) {
  switch (error) {
    case LT_CONTEXT_WELL: return "nothing is wrong";
    case LT_CONTEXT_ABSENT: return "there is none";
    case LT_CONTEXT_SHORT: return "it is too short";
    case LT_CONTEXT_LONG: return "it goes on behind the flags";
    case LT_CONTEXT_DASHES: return "there are no dashes between version, trace id, span id and flags";
    case LT_CONTEXT_DIGITS: return "its numbers have other digits than 0-9 and a-f";
    case LT_CONTEXT_VERSION: return "version ff is forbidden";
    case LT_CONTEXT_TRACE_ZERO: return "its trace id is 0";
    case LT_CONTEXT_FLOW_ZERO: return "its span id is 0";
  }
  return "it is not known what is wrong";
}

// ---------------------------------------------------------------- traceparent

enum { trace_at = 3, flow_at = 36, flags_at = 53, traceparent_bytes = 55 };

static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

static void trim(const char **text, size_t *count) {
  while (*count > 0 && is_blank(**text)) ++*text, --*count;
  while (*count > 0 && is_blank((*text)[*count - 1])) --*count;
}

static bool hex(const char *text, size_t count, uint64_t *value) {
  *value = 0;
  for (size_t at = 0; at < count; at++) {
    char digit = text[at];
    bool is_decimal = digit >= '0' && digit <= '9';
    if (!is_decimal && (digit < 'a' || digit > 'f')) return false;
    *value = *value << 4 | (uint64_t)(is_decimal ? digit - '0' : digit - 'a' + 10);
  }
  return true;
}

static lt_context_error read_parent(lt_context *context, const char *text, size_t count) {
  if (count == 0) return LT_CONTEXT_ABSENT;
  if (count < traceparent_bytes) return LT_CONTEXT_SHORT;
  uint64_t version, flags;
  if (!hex(text, 2, &version)) return LT_CONTEXT_DIGITS;
  if (version == 0xff) return LT_CONTEXT_VERSION;
  if (text[2] != '-' || text[flow_at - 1] != '-' || text[flags_at - 1] != '-') {
    return LT_CONTEXT_DASHES;
  }
  if (!hex(text + trace_at, 16, &context->trace_high) ||
      !hex(text + trace_at + 16, 16, &context->trace_low) ||
      !hex(text + flow_at, 16, &context->flow) || !hex(text + flags_at, 2, &flags)) {
    return LT_CONTEXT_DIGITS;
  }
  if (count > traceparent_bytes && (version == 0 || text[traceparent_bytes] != '-')) {
    return LT_CONTEXT_LONG;
  }
  if ((context->trace_high | context->trace_low) == 0) return LT_CONTEXT_TRACE_ZERO;
  if (context->flow == 0) return LT_CONTEXT_FLOW_ZERO;
  // Flags that are not known are not to be passed on.
  context->flags = (uint8_t)(flags & 3);
  return LT_CONTEXT_WELL;
}

size_t lt_context_traceparent(const lt_context *context, char *text, size_t room) {
  if (room > 0) text[0] = 0;
  if (lt_context_is_none(context) || room < LT_TRACEPARENT_ROOM) return 0;
  return (size_t)snprintf(text, room, "00-%016llx%016llx-%016llx-%02x",
                          (unsigned long long)context->trace_high,
                          (unsigned long long)context->trace_low,
                          (unsigned long long)context->flow, context->flags & 3u);
}

// ---------------------------------------------------------------- tracestate

typedef struct member {
  const char *key;
  size_t key_count;
  const char *value;
  size_t value_count;
} member;

static bool is_key_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
         byte == '-' || byte == '*' || byte == '/';
}

// A tenant before an @ may begin with a digit and has at most 241 bytes, the system behind it 14.
static bool is_key(const char *key, size_t count) {
  const char *at = memchr(key, '@', count);
  size_t tenant = at ? (size_t)(at - key) : count;
  size_t system = at ? count - tenant - 1 : 0;
  if (tenant == 0 || tenant > (at ? 241u : 256u) || (at && (system == 0 || system > 14))) return false;
  bool is_digit = key[0] >= '0' && key[0] <= '9';
  if (!is_key_byte(key[0]) || (!is_digit && (key[0] < 'a' || key[0] > 'z'))) return false;
  if (is_digit && !at) return false;
  if (at && (at[1] < 'a' || at[1] > 'z')) return false;
  for (size_t here = 1; here < count; here++) {
    if (here != tenant && !is_key_byte(key[here])) return false;
  }
  return true;
}

static bool is_value(const char *value, size_t count) {
  if (count == 0 || count > 256) return false;
  for (size_t at = 0; at < count; at++) {
    if (value[at] < 0x20 || value[at] > 0x7e || value[at] == ',' || value[at] == '=') return false;
  }
  return true;
}

// The members in order; -1 where one breaks the rules. Empty ones are allowed, and left out.
static int members_of(const char *text, size_t count, member members[LT_TRACESTATE_MEMBERS_MAX]) {
  int found = 0;
  while (count > 0) {
    const char *comma = memchr(text, ',', count);
    size_t whole = comma ? (size_t)(comma - text) : count;
    const char *part = text;
    size_t part_count = whole;
    trim(&part, &part_count);
    if (part_count > 0) {
      const char *equals = memchr(part, '=', part_count);
      if (!equals || found == (int)LT_TRACESTATE_MEMBERS_MAX) return -1;
      member here = {part, (size_t)(equals - part), equals + 1,
                     part_count - (size_t)(equals - part) - 1};
      if (!is_key(here.key, here.key_count) || !is_value(here.value, here.value_count)) return -1;
      for (int other = 0; other < found; other++) {
        if (members[other].key_count == here.key_count &&
            memcmp(members[other].key, here.key, here.key_count) == 0) {
          return -1;
        }
      }
      members[found++] = here;
    }
    size_t passed = comma ? whole + 1 : whole;
    text += passed;
    count -= passed;
  }
  return found;
}

bool lt_tracestate_is_valid(const char *tracestate, size_t count) {
  member members[LT_TRACESTATE_MEMBERS_MAX];
  return members_of(tracestate, count, members) >= 0;
}

static bool is_ours(const member *member) {
  return member->key_count == 2 && memcmp(member->key, "lt", 2) == 0;
}

static uint64_t clock_of(const char *tracestate, size_t count) {
  member members[LT_TRACESTATE_MEMBERS_MAX];
  int found = members_of(tracestate, count, members);
  for (int at = 0; at < found; at++) {
    uint64_t clock;
    if (is_ours(&members[at]) && members[at].value_count == 16 && hex(members[at].value, 16, &clock)) {
      return clock;
    }
  }
  return 0;
}

size_t lt_context_tracestate(const lt_context *context, const char *others, char *text, size_t room) {
  if (room > 0) text[0] = 0;
  if (lt_context_is_none(context)) return 0;
  if (room > LT_TRACESTATE_ROOM) room = LT_TRACESTATE_ROOM;
  size_t used = 0;
  unsigned kept = 0;
  if (context->clock != 0) {
    if (room < 3 + 16 + 1) return 0;
    used = (size_t)snprintf(text, room, "lt=%016llx", (unsigned long long)context->clock);
    kept++;
  }
  member members[LT_TRACESTATE_MEMBERS_MAX];
  int found = others ? members_of(others, strlen(others), members) : 0;
  for (int at = 0; at < found && kept < LT_TRACESTATE_MEMBERS_MAX; at++) {
    size_t count = members[at].key_count + 1 + members[at].value_count;
    if (is_ours(&members[at])) continue;
    if (used + (used > 0) + count >= room) break;
    if (used > 0) text[used++] = ',';
    memcpy(text + used, members[at].key, count);
    used += count;
    text[used] = 0;
    kept++;
  }
  return used;
}

lt_context_error lt_context_read(lt_context *context, const char *traceparent, size_t count,
                                 const char *tracestate, size_t state_count) {
  memset(context, 0, sizeof *context);
  if (traceparent == NULL) return LT_CONTEXT_ABSENT;
  trim(&traceparent, &count);
  lt_context read = {0, 0, 0, 0, 0};
  lt_context_error error = read_parent(&read, traceparent, count);
  if (error != LT_CONTEXT_WELL) return error;
  if (tracestate != NULL) read.clock = clock_of(tracestate, state_count);
  *context = read;
  return LT_CONTEXT_WELL;
}

// ---------------------------------------------------------------- environment

lt_context_error lt_context_of_environment(lt_context *context, const char **traceparent,
                                           const char **tracestate) {
  const char *parent = getenv("TRACEPARENT");
  const char *state = getenv("TRACESTATE");
  if (traceparent) *traceparent = parent;
  if (tracestate) *tracestate = state;
  return lt_context_read(context, parent, parent ? strlen(parent) : 0, state,
                         state ? strlen(state) : 0);
}

size_t lt_context_entry(const lt_context *context, char *text, size_t room) {
  static const char name[] = "TRACEPARENT=";
  const size_t name_bytes = sizeof name - 1;
  if (room > 0) text[0] = 0;
  if (lt_context_is_none(context) || room < name_bytes + LT_TRACEPARENT_ROOM) return 0;
  memcpy(text, name, name_bytes);
  return name_bytes + lt_context_traceparent(context, text + name_bytes, room - name_bytes);
}
