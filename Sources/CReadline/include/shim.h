// SPDX-License-Identifier: GPL-3.0-or-later
// readline is GPL-3.0-or-later, so only the debugger prompt (Console) and the
// `lifetrace` executable import this module; nothing that an app links does.
#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>
