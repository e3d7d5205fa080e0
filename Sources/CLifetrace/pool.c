// SPDX-License-Identifier: Apache-2.0
//
// The pool file: where it lies, how big it is, and that writing to it never faults.
//
// A write to a page that a full tmpfs cannot back is a SIGBUS in the user's app, so every page is
// backed before it is written. Where the session's directory has no room, the pool lies elsewhere
// and the session holds a symbolic link to it.

#if defined(__linux__)
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
  header_bytes = 4096,
  grow_blocks = 16,
  table_step_bytes = 65536,
};

_Static_assert(sizeof(lt_pool_header) <= header_bytes, "the header is a page");

// `file` is -1 once the pool is joined: the app may have closed our descriptor, and what has
// its number now is not ours to grow. Populating asks the file system for the space as well.
bool lt_pool_reserve(int file, uint8_t *base, uint64_t offset, uint64_t bytes) {
  if (file >= 0) {
    int result;
    do {
      result = fallocate(file, 0, (off_t)offset, (off_t)bytes);
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EOPNOTSUPP) return false;
  }
  int result;
  do {
    result = madvise(base + offset, bytes, MADV_POPULATE_WRITE);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0) return true;
  if (errno != EINVAL || file < 0) return false;
  // A kernel before 5.14: the space is allocated, so touching it is safe.
  for (uint64_t at = 0; at < bytes; at += 4096) {
    atomic_fetch_or((_Atomic uint8_t *)(base + offset + at), 0);
  }
  return true;
}

static bool make_in(const char *path, uint32_t blocks, uint32_t blocks_max, uint64_t tables_bytes,
                    lt_made_pool *made) {
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  uint64_t blocks_offset = header_bytes + tables_bytes;
  uint64_t size = blocks_offset + (uint64_t)blocks_max * LT_BLOCK_BYTES;
  uint8_t *base = MAP_FAILED;
  if (ftruncate(file, (off_t)size) == 0) {
    base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  uint64_t tables = (lt_tables_used() / table_step_bytes + 1) * table_step_bytes;
  bool room = base != MAP_FAILED && madvise(base, size, MADV_DONTFORK) == 0 &&
              lt_pool_reserve(file, base, 0, header_bytes + tables) &&
              lt_pool_reserve(file, base, blocks_offset, (uint64_t)blocks * LT_BLOCK_BYTES);
  close(file);
  if (!room) {
    if (base != MAP_FAILED) munmap(base, size);
    unlink(path);
    return false;
  }
  lt_process *process = lt_this_process();
  process->pool = (lt_pool_header *)base;
  process->blocks = base + blocks_offset;
  process->tables_ready = tables;
  atomic_store(&process->blocks_limit, blocks_max);
  made->header = process->pool;
  made->blocks_max = blocks_max;
  made->header->header_bytes = header_bytes;
  made->header->tables_bytes = tables_bytes;
  made->header->block_bytes = LT_BLOCK_BYTES;
  made->header->blocks_max = blocks_max;
  atomic_store(&made->header->blocks_ready, blocks);
  return true;
}

static bool make_elsewhere(const char *directory, const char *session, const char *name,
                           uint32_t blocks, uint32_t blocks_max, uint64_t tables_bytes,
                           lt_made_pool *made) {
  char path[4096], link[4096];
  if (directory == NULL || directory[0] != '/') return false;
  if (snprintf(path, sizeof path, "%s/lifetrace-%s", directory, name) >= (int)sizeof path ||
      snprintf(link, sizeof link, "%s/%s.tmp", session, name) >= (int)sizeof link) {
    return false;
  }
  if (!make_in(path, blocks, blocks_max, tables_bytes, made)) return false;
  if (symlink(path, link) == 0) return true;
  unlink(path);
  return false;
}

// As many blocks as the session allows, and as a file may hold: a file that grows past
// RLIMIT_FSIZE is a SIGXFSZ.
static uint32_t most_blocks(uint64_t bytes_max, uint64_t tables_bytes) {
  struct rlimit file_size;
  uint64_t most = bytes_max / LT_BLOCK_BYTES;
  if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur != RLIM_INFINITY) {
    uint64_t fixed = header_bytes + tables_bytes;
    uint64_t left = file_size.rlim_cur < fixed ? 0 : file_size.rlim_cur - fixed;
    if (left / LT_BLOCK_BYTES == 0) return 0;
    if (most > left / LT_BLOCK_BYTES) most = left / LT_BLOCK_BYTES;
  }
  return most < 1 ? 1 : most > 65536 ? 65536 : (uint32_t)most;
}

bool lt_pool_make(const char *session, const char *name, uint64_t bytes_max, uint64_t tables_bytes,
                  lt_made_pool *made) {
  const char *places[] = {
      secure_getenv("XDG_RUNTIME_DIR"), "/dev/shm", secure_getenv("TMPDIR"), "/tmp", "/var/tmp",
  };
  // Smaller where memory or addresses are short.
  const struct {
    uint32_t first, most;
  } sizes[] = {{grow_blocks, UINT32_MAX}, {4, 64}, {1, 8}};
  uint32_t allowed = most_blocks(bytes_max, tables_bytes);
  char path[4096];
  if (allowed == 0) return false;
  if (snprintf(path, sizeof path, "%s/%s.tmp", session, name) >= (int)sizeof path) return false;
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    uint32_t most = sizes[size].most < allowed ? sizes[size].most : allowed;
    uint32_t first = sizes[size].first < most ? sizes[size].first : most;
    if (make_in(path, first, most, tables_bytes, made)) return true;
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
      if (make_elsewhere(places[place], session, name, first, most, tables_bytes, made)) {
        return true;
      }
    }
  }
  return false;
}

bool lt_pool_publish(const char *session, const char *name) {
  char from[4096], to[4096];
  snprintf(from, sizeof from, "%s/%s.tmp", session, name);
  snprintf(to, sizeof to, "%s/%s", session, name);
  return rename(from, to) == 0;
}

void lt_pool_discard(const char *session, const char *name) {
  lt_process *process = lt_this_process();
  const lt_pool_header *pool = process->pool;
  char path[4096], target[4096];
  snprintf(path, sizeof path, "%s/%s.tmp", session, name);
  ssize_t count = readlink(path, target, sizeof target - 1);
  if (count > 0) {
    target[count] = 0;
    unlink(target);
  }
  unlink(path);
  uint64_t blocks = (uint64_t)pool->blocks_max * LT_BLOCK_BYTES;
  munmap(process->pool, (size_t)(process->blocks - (uint8_t *)pool) + blocks);
  process->pool = NULL;
  process->blocks = NULL;
  process->tables_ready = process->tables_copied = 0;
}

bool lt_pool_grow(uint32_t seen_ready) {
  lt_process *process = lt_this_process();
  lt_lock();
  uint32_t ready = atomic_load(&process->pool->blocks_ready);
  bool grown = ready != seen_ready;
  uint32_t limit = atomic_load(&process->blocks_limit);
  if (!grown && ready < limit) {
    uint32_t more = limit - ready < grow_blocks ? limit - ready : grow_blocks;
    uint64_t offset = (uint64_t)(process->blocks - (uint8_t *)process->pool) +
                      (uint64_t)ready * LT_BLOCK_BYTES;
    grown = lt_pool_reserve(-1, (uint8_t *)process->pool, offset, (uint64_t)more * LT_BLOCK_BYTES);
    if (grown) {
      atomic_store_explicit(&process->pool->blocks_ready, ready + more, memory_order_release);
    } else {
      atomic_store_explicit(&process->blocks_limit, ready, memory_order_release);
    }
  }
  lt_unlock();
  return grown;
}

bool lt_pool_reserve_tables(uint64_t bytes) {
  lt_process *process = lt_this_process();
  while (process->tables_ready < bytes) {
    uint64_t left = process->pool->tables_bytes - process->tables_ready;
    uint64_t more = left < table_step_bytes ? left : table_step_bytes;
    if (more == 0 || !lt_pool_reserve(-1, (uint8_t *)process->pool,
                                      header_bytes + process->tables_ready, more)) {
      return false;
    }
    process->tables_ready += more;
  }
  return true;
}
#endif
