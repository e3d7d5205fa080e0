// SPDX-License-Identifier: Apache-2.0
//
// A library that `lifetrace record --observe` puts before a program (LD_PRELOAD), so that what it does
// with files and locks is recorded though it knows nothing of us. See OBSERVE.md.
//
// It has no interface but the functions of the C library that it stands before, and this one, through
// which an SDK in the program reports itself (lifetrace_observed.h).

#pragma once

struct lt_observed;
void lifetrace_observe_meet(const struct lt_observed *sdk);
