// SPDX-License-Identifier: Apache-2.0
//
// The library's own copy of the SDK's way of an event, for programs that do not link it. It is hidden,
// so that it never takes the place of an SDK in the program.

#include "../CLifetrace/block.c"
#include "../CLifetrace/clock.c"
#include "../CLifetrace/control.c"
#include "../CLifetrace/emit.c"
#include "../CLifetrace/ending.c"
#include "../CLifetrace/families.c"
#include "../CLifetrace/hash.c"
#include "../CLifetrace/identity.c"
#include "../CLifetrace/join.c"
#include "../CLifetrace/observed.c"
#include "../CLifetrace/pool.c"
#include "../CLifetrace/sink.c"
