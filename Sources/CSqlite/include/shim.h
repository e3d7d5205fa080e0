// SPDX-License-Identifier: Apache-2.0
// The database that `export sqlite` writes.
#pragma once
#include <sqlite3.h>
