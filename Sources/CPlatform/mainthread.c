// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cplatform.h>

#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

const char *cplatform_call_name(long number) {
  switch (number) {
    case SYS_futex: return "futex";
    case SYS_read: return "read";
    case SYS_pread64: return "pread";
    case SYS_readv: return "readv";
    case SYS_write: return "write";
    case SYS_pwrite64: return "pwrite";
    case SYS_writev: return "writev";
    case SYS_fsync: return "fsync";
    case SYS_fdatasync: return "fdatasync";
    case SYS_ftruncate: return "ftruncate";
    case SYS_fallocate: return "fallocate";
    case SYS_sync_file_range: return "sync_file_range";
    case SYS_flock: return "flock";
    case SYS_fcntl: return "fcntl";
    case SYS_sync: return "sync";
    case SYS_openat: return "openat";
    case SYS_unlinkat: return "unlinkat";
    case SYS_renameat2: return "rename";
    case SYS_nanosleep: return "nanosleep";
    case SYS_clock_nanosleep: return "clock_nanosleep";
    case SYS_ppoll: return "ppoll";
    case SYS_pselect6: return "pselect";
    case SYS_epoll_pwait: return "epoll_pwait";
    case SYS_wait4: return "wait4";
    case SYS_waitid: return "waitid";
    case SYS_connect: return "connect";
    case SYS_accept4: return "accept";
    case SYS_recvfrom: return "recvfrom";
    case SYS_recvmsg: return "recvmsg";
    case SYS_sendto: return "sendto";
    case SYS_sendmsg: return "sendmsg";
    case SYS_rt_sigtimedwait: return "sigtimedwait";
    case SYS_rt_sigsuspend: return "sigsuspend";
#ifdef SYS_open
    case SYS_open: return "open";
    case SYS_unlink: return "unlink";
    case SYS_rename: return "rename";
    case SYS_pause: return "pause";
    case SYS_poll: return "poll";
    case SYS_select: return "select";
    case SYS_epoll_wait: return "epoll_wait";
    case SYS_accept: return "accept";
#endif
    default: return 0;
  }
}

int cplatform_call_has_file(long number) {
  switch (number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_sync_file_range:
    case SYS_flock:
    case SYS_fcntl: return 1;
    default: return 0;
  }
}

size_t cplatform_read_memory(pid_t pid, uint64_t from, void *into, size_t bytes) {
  struct iovec local = {.iov_base = into, .iov_len = bytes};
  struct iovec remote = {.iov_base = (void *)(uintptr_t)from, .iov_len = bytes};
  ssize_t count = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  return count > 0 ? (size_t)count : 0;
}
