// SPDX-License-Identifier: Apache-2.0
//
// The core of the meter app: readings in memory, and the file that they are kept in.

#pragma once

// Reads what the last launch has saved.
void meter_load(const char *path);

// A reading that is in memory only.
void meter_add(const char *reading);

// Writes what there is, if there is something new. Answers 0 or an errno.
int meter_save(const char *path);
