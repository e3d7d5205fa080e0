// SPDX-License-Identifier: Apache-2.0
//
// Before main, and before vfork.

#include "observe.h"

#include <stdlib.h>

// What a program's own SDK has to say is said by its constructors, which run behind those of all
// libraries: nothing is reported before main.
static int (*program_main)(int, char **, char **);

static int enter_main(int count, char **arguments, char **environment) {
  lo_begin();
  return program_main(count, arguments, environment);
}

typedef int start_main(int (*main)(int, char **, char **), int count, char **arguments,
                       void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack);

LO_BEFORE int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                                void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                                void *stack) {
  static _Atomic(void *) known;
  start_main *real = (start_main *)lo_real(&known, "__libc_start_main");
  if (real == NULL) abort();
  program_main = main;
  return real(enter_main, count, arguments, init, fini, rtld_fini, stack);
}

// A child of vfork runs in its parent's memory: what it closes stays open there. It must return into
// the frame of its caller, so that nothing may stand on the stack between: the return address waits in
// a register, as in the C library's own.
_Static_assert(offsetof(lo_thread, in_vfork) == 5, "as the code below has it");
#if defined(__x86_64__)
__asm__(
    ".globl vfork\n.type vfork,@function\n"
    "vfork:\n"
    "  endbr64\n"
    "  movq lo_self@gottpoff(%rip), %rax\n"
    "  movb $1, %fs:5(%rax)\n"
    "  popq %rdi\n"
    "  movl $58, %eax\n"
    "  syscall\n"
    "  pushq %rdi\n"
    "  testl %eax, %eax\n"
    "  je 2f\n"
    "  movq lo_self@gottpoff(%rip), %rdx\n"
    "  movb $0, %fs:5(%rdx)\n"
    "  cmpl $-4095, %eax\n"
    "  jae 1f\n"
    "2: ret\n"
    "1: negl %eax\n"
    "  pushq %rax\n"
    "  call __errno_location@PLT\n"
    "  popq %rdx\n"
    "  movl %edx, (%rax)\n"
    "  movl $-1, %eax\n"
    "  ret\n"
    ".size vfork, .-vfork\n");
#else
// A child of fork has memory of its own.
LO_BEFORE int vfork(void) {
  int fork(void);
  return fork();
}
#endif
