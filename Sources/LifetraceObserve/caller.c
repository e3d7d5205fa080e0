// SPDX-License-Identifier: Apache-2.0
//
// Which line of the program did it: the first return address that lies in the program itself, as the
// path of its file and the offset in it. The recorder looks up the line, where there is debug
// information, or the function.
//
// Where a library has called us (Foundation, an SDK), the frames above it are walked by their frame
// pointers, which Swift and clang keep by default; where they are not kept the library itself is named.

#include "observe.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

enum { frames_max = 48, stack_bytes_max = 1 << 20 };

static uintptr_t program_first, program_last, program_base;
static char program_path[4096];
extern void *__libc_stack_end;

static int look_at_program(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  program_base = info->dlpi_addr;
  for (int at = 0; at < info->dlpi_phnum; at++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[at];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    uintptr_t first = program_base + part->p_vaddr;
    if (program_last == 0 || first < program_first) program_first = first;
    if (first + part->p_memsz > program_last) program_last = first + part->p_memsz;
  }
  return 1;  // the program is the first
}

void lo_caller_start(void) {
  dl_iterate_phdr(look_at_program, NULL);
  program_path[0] = '@';
  ssize_t count = readlink("/proc/self/exe", program_path + 1, sizeof program_path - 2);
  program_path[1 + (count > 0 ? count : 0)] = 0;
}

static bool is_program(uintptr_t address) {
  return program_first <= address && address < program_last;
}

// A pointer that does not lead up this thread's stack ends the walk.
static uintptr_t walk(uintptr_t caller) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t top = lo_is_main() ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self();
  if (top <= here) return caller;
  uintptr_t last = here + stack_bytes_max < top ? here + stack_bytes_max : top;
  const uintptr_t *frame = (const uintptr_t *)here;
  for (int depth = 0; depth < frames_max; depth++) {
    uintptr_t next = frame[0], address = frame[1];
    if (is_program(address)) return address;
    if (next <= (uintptr_t)frame || next + 2 * sizeof next > last || next % sizeof next != 0) break;
    frame = (const uintptr_t *)next;
  }
  return caller;
}

// Sites are few, and looking one up by its strings takes as long as a short write.
typedef struct known {
  _Atomic uint64_t key;
  _Atomic uint32_t site;
} known;
static known sites[512];

static uint32_t make_site(const char *what, uintptr_t caller) {
  if (is_program(caller)) {
    return lo_sdk()->site(what, program_path, (uint32_t)(caller - 1 - program_base));
  }
  Dl_info info;
  char path[4096];
  if (dladdr((void *)caller, &info) == 0 || info.dli_fname == NULL ||
      strlen(info.dli_fname) >= sizeof path - 1) {
    return lo_sdk()->site(what, "", 0);
  }
  path[0] = '@';
  strcpy(path + 1, info.dli_fname);
  return lo_sdk()->site(what, path, (uint32_t)(caller - 1 - (uintptr_t)info.dli_fbase));
}

// The line that is to blame for a call from there.
static uintptr_t blamed(uintptr_t caller) {
  if (lo_self.database_depth > 0) caller = lo_self.database_caller;
  return is_program(caller) ? caller : walk(caller);
}

uint32_t lo_site_of(const char *what, uintptr_t caller) { return make_site(what, blamed(caller)); }

uint32_t lo_site(const char *what, uintptr_t caller) {
  caller = blamed(caller);
  // `what` is a literal: two of one address are one.
  uint64_t key = (uint64_t)caller * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)what;
  known *slot = &sites[key >> 55];
  uint32_t site = atomic_load_explicit(&slot->site, memory_order_acquire);
  if (LO_LIKELY(atomic_load_explicit(&slot->key, memory_order_acquire) == key && site != 0 &&
                atomic_load_explicit(&slot->site, memory_order_acquire) == site)) {
    return site;
  }
  site = make_site(what, caller);
  atomic_store_explicit(&slot->key, 0, memory_order_release);
  atomic_store_explicit(&slot->site, site, memory_order_release);
  atomic_store_explicit(&slot->key, key, memory_order_release);
  return site;
}
