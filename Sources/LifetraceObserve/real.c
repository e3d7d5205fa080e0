// SPDX-License-Identifier: Apache-2.0
//
// The functions behind ours.

#include "observe.h"

#include <dlfcn.h>
#include <errno.h>

void *lo_real(_Atomic(void *) *known, const char *name) {
  // An allocator of the program's own may open files while the dynamic linker allocates for us.
  if (lo_self.is_resolving) return NULL;
  int error = errno;
  lo_self.is_resolving = true;
  void *found = dlsym(RTLD_NEXT, name);
  lo_self.is_resolving = false;
  atomic_store_explicit(known, found, memory_order_relaxed);
  errno = error;
  return found;
}
