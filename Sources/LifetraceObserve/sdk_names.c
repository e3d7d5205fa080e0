// SPDX-License-Identifier: Apache-2.0
//
// The rest of sdk.c, whose helpers have names that are taken there.

#include "../CLifetrace/names.c"
