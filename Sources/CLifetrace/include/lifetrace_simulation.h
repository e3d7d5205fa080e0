// SPDX-License-Identifier: Apache-2.0
//
// Simulated apps: a thread may carry a sink, and then its events go to a function
// instead of a pool, with the clock, the identities and the data versions of the
// sink. Several simulated apps may live in one process, each with a sink of its own. Several
// threads may carry one sink: its functions are called on each of them.
//
//     lt_sink *app = lt_sink_create(receive, now, simulator);
//     lt_sink *before = lt_sink_enter(app);
//     …                                      // the app's code runs
//     lt_sink_leave(before);
//
// Names and sites in the events are those of lt_name_lookup and lt_site_lookup.

#pragma once

#include "lifetrace.h"

typedef struct lt_sink lt_sink;

// `event->tick` is what `now` answered.
typedef void (*lt_sink_receive)(void *context, const lt_record *event);
// Virtual nanoseconds.
typedef uint64_t (*lt_sink_now)(void *context);

lt_sink *lt_sink_create(lt_sink_receive receive, lt_sink_now now, void *context);
// No thread may carry it any more.
void lt_sink_destroy(lt_sink *sink);

// Gives this thread a sink; answers the one it had, or NULL.
lt_sink *lt_sink_enter(lt_sink *sink);
// Gives this thread back the sink that `lt_sink_enter` answered.
void lt_sink_leave(lt_sink *before);

// Whether the event is about what is called so: its object, resource or notification, or its site.
bool lt_record_names(const lt_record *event, const char *name);
