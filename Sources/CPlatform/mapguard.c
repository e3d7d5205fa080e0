// SPDX-License-Identifier: Apache-2.0
//
// A pool belongs to another process, which may cut the file short while we
// read: that is a SIGBUS here. The handler puts zeros in the place, from the page that is missing
// to the end of the mapping: one step, whatever is read later.
#define _GNU_SOURCE
#include <cplatform.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS_MAX = 4096 };

typedef struct slot {
  _Atomic uintptr_t base;  // 0: free, 1: being filled
  _Atomic size_t bytes;
  _Atomic int faulted;
} slot;

static slot slots[SLOTS_MAX];
static _Atomic int installed;
static struct sigaction previous;

static void on_bus_error(int number, siginfo_t *info, void *context) {
  (void)context;
  uintptr_t address = (uintptr_t)info->si_addr;
  for (int i = 0; i < SLOTS_MAX; i++) {
    uintptr_t base = atomic_load_explicit(&slots[i].base, memory_order_acquire);
    if (base <= 1 || address < base) continue;
    uintptr_t end = base + atomic_load(&slots[i].bytes);
    if (address >= end) continue;
    atomic_store(&slots[i].faulted, 1);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t place = address & ~(page - 1);
    void *got = mmap((void *)place, end - place, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (got != MAP_FAILED) return;
    break;
  }
  sigaction(number, &previous, NULL);  // not ours: it strikes again, as it would have
}

int cplatform_guard_mapping(void *base, size_t bytes) {
  int expected = 0;
  if (atomic_compare_exchange_strong(&installed, &expected, 1)) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGBUS, &action, &previous) != 0) return -1;
  }
  for (int i = 0; i < SLOTS_MAX; i++) {
    uintptr_t nobody = 0;
    if (!atomic_compare_exchange_strong(&slots[i].base, &nobody, 1)) continue;
    atomic_store(&slots[i].bytes, bytes);
    atomic_store(&slots[i].faulted, 0);
    atomic_store_explicit(&slots[i].base, (uintptr_t)base, memory_order_release);
    return i;
  }
  errno = EMFILE;
  return -1;
}

int cplatform_guard_faulted(int number) {
  return number >= 0 && number < SLOTS_MAX && atomic_load(&slots[number].faulted);
}

void cplatform_unguard_mapping(int number) {
  if (number >= 0 && number < SLOTS_MAX) atomic_store(&slots[number].base, 0);
}
