// SPDX-License-Identifier: Apache-2.0
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER lifetrace_peer

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_peer_tp.h"

#if !defined(LTTNG_PEER_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_PEER_TP_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    lifetrace_peer, tick, LTTNG_UST_TP_ARGS(uint64_t, index, uint64_t, size, uint64_t, next),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, index, index)
                            lttng_ust_field_integer(uint64_t, size, size)
                                lttng_ust_field_integer(uint64_t, next, next)))

#endif

#include <lttng/tracepoint-event.h>
