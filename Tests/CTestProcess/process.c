// SPDX-License-Identifier: Apache-2.0
#include "ctestprocess.h"
#include <stdlib.h>

// A crash of the tests prints where it was (Scripts/test.sh asks for it), those of the apps that
// they start do as the tests have said. The runtime has read the wish when this runs.
__attribute__((constructor)) static void keep_wish_to_ourselves(void) { unsetenv("SWIFT_BACKTRACE"); }
