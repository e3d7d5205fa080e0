// SPDX-License-Identifier: Apache-2.0
// The database that `export sqlite` writes.
#pragma once
#include <sqlite3.h>

// A macro with a cast, which is not imported: sqlite copies what is bound.
static inline sqlite3_destructor_type lifetrace_sqlite_transient(void) { return SQLITE_TRANSIENT; }
