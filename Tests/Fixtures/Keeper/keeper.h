// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lifetrace.h>

// Answers the host until it goes; where there is none, waits to be killed.
int obey_host(void);
