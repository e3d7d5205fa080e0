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

// The parts of ELF that are needed, as they stand in the file; every place is checked against its
// end, since a program is not to be trusted to be well made.
static uint64_t number(const uint8_t *image, size_t bytes, uint64_t at, unsigned width) {
  uint64_t value = 0;
  if (at > bytes || bytes - at < width) return 0;
  for (unsigned i = width; i > 0; i--) value = value << 8 | image[at + i - 1];
  return value;
}

static uint64_t loaded_address(const uint8_t *image, size_t bytes, uint64_t offset) {
  uint64_t headers = number(image, bytes, 32, 8);
  uint64_t size = number(image, bytes, 54, 2), count = number(image, bytes, 56, 2);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t at = headers + i * size;
    uint64_t from = number(image, bytes, at + 8, 8), length = number(image, bytes, at + 32, 8);
    if (number(image, bytes, at, 4) != 1 || offset < from || offset - from >= length) continue;
    return number(image, bytes, at + 16, 8) + (offset - from);
  }
  return 0;
}

static const char *symbol_at(const uint8_t *image, size_t bytes, uint64_t section, uint64_t address) {
  uint64_t table = number(image, bytes, section + 24, 8);
  uint64_t length = number(image, bytes, section + 32, 8);
  uint64_t names = number(image, bytes, 40, 8)
    + number(image, bytes, section + 40, 4) * number(image, bytes, 58, 2);
  uint64_t strings = number(image, bytes, names + 24, 8);
  if (table > bytes || length > bytes - table) return 0;
  for (uint64_t at = table; at + 24 <= table + length; at += 24) {
    uint64_t value = number(image, bytes, at + 8, 8), size = number(image, bytes, at + 16, 8);
    if ((image[at + 4] & 15) != 2 || address < value || address - value >= size) continue;
    uint64_t name = strings + number(image, bytes, at, 4);
    if (name >= bytes || !memchr(image + name, 0, bytes - name)) return 0;
    return (const char *)image + name;
  }
  return 0;
}

const char *cplatform_function_at(const uint8_t *image, size_t bytes, uint64_t offset) {
  static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
  if (bytes < 64 || memcmp(image, magic, sizeof magic) != 0) return 0;
  uint64_t address = loaded_address(image, bytes, offset);
  uint64_t sections = number(image, bytes, 40, 8);
  uint64_t size = number(image, bytes, 58, 2), count = number(image, bytes, 60, 2);
  // All functions first; a stripped program has those that it exports.
  for (unsigned kind = 0; kind < 2; kind++) {
    for (uint64_t i = 0; i < count; i++) {
      uint64_t section = sections + i * size;
      if (number(image, bytes, section + 4, 4) != (kind == 0 ? 2 : 11)) continue;
      const char *name = symbol_at(image, bytes, section, address);
      if (name) return name;
    }
  }
  return 0;
}
