// SPDX-License-Identifier: Apache-2.0
//
// The memory that an app and a recorder share.
//
// A session directory holds one `session` file, made by the recorder, and one `pool-<writer>` file
// a process, made by the process when it joins (under a temporary name, then renamed, so that a
// reader that sees it sees it whole). Both are mmap'd shared, so committed records survive SIGKILL
// of either side.
//
//     pool = header | tables (append-only strings and sites) | blocks of 64 KiB
//
// Where the session's directory has no room for a pool, `pool-<writer>` is a symbolic link to
// `lifetrace-pool-<writer>` in another directory; a process that removes the one removes the other.
//
// A writer identifies itself in the header of its pool; it emits no start event of its own.
//
// A thread claims a free block, fills it alone and commits each record with one
// release-store of `committed`; only the recorder stores `consumed`, and only
// after the chunk that holds those records has been written.

#pragma once

#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stddef.h>
#include <stdint.h>

// C++ has other words for some of this, and no _Atomic: there the same places in memory are plain,
// and only touched through the compiler's atomic built-ins.
#ifdef __cplusplus
#define LT_ATOMIC(type) type
#define LT_LOAD(place, order) __atomic_load_n((place), (order))
#define LT_STORE(place, value, order) __atomic_store_n((place), (value), (order))
#define LT_ALIGNED(bytes) alignas(bytes)
#define LT_STATIC_ASSERT(fact, why) static_assert(fact, why)
#else
#define LT_ATOMIC(type) _Atomic(type)
#define LT_LOAD(place, order) atomic_load_explicit((place), (order))
#define LT_STORE(place, value, order) atomic_store_explicit((place), (value), (order))
#define LT_ALIGNED(bytes) _Alignas(bytes)
#define LT_STATIC_ASSERT(fact, why) _Static_assert(fact, why)
#endif

#define LT_LAYOUT_VERSION 2u
#define LT_POOL_MAGIC 0x4c4f4f504c52544cULL     // "LTRLPOOL"
#define LT_SESSION_MAGIC 0x535345534c52544cULL  // "LTRLSESS"

#define LT_FAMILIES 16
#define LT_BLOCK_BYTES 65536u
#define LT_BLOCK_HEADER_BYTES 128u

// One event. The kind stands beside the site, because a span's begin and end share a site.
typedef struct lt_record {
  uint64_t tick;       // counter value, see lt_session.clock_kind
  uint32_t site;       // id in the pool's tables, 0 for none
  uint8_t kind;        // EventKind
  uint8_t arg_count;   // 0 to 4
  uint8_t flags;       // EventFlags
  uint8_t observer;    // Observer: 0 is the process itself
  uint64_t identity;
  uint64_t arg[4];     // 0 beyond arg_count
} lt_record;

// Not an event: the records behind it in its block are of the thread `identity`. A block that an
// ended thread left half empty is filled by another one, so that memory follows the rate of
// events, not the number of threads. It counts in `committed` and `consumed` like any record.
#define LT_KIND_THREAD 0u

#define LT_BLOCK_RECORDS ((LT_BLOCK_BYTES - LT_BLOCK_HEADER_BYTES) / sizeof(lt_record))

typedef enum lt_block_state {
  LT_BLOCK_FREE = 0,    // anyone may claim it
  LT_BLOCK_OPEN = 1,    // its thread appends
  LT_BLOCK_CLOSED = 2,  // full, or its thread ended; free again once consumed == committed,
                        // then its next claimer sets both to 0 and stores a new serial
} lt_block_state;

typedef struct lt_block {
  // Written by the producing thread.
  LT_ALIGNED(64) LT_ATOMIC(uint64_t) committed;  // records visible
  LT_ATOMIC(uint64_t) serial;                  // claim number in the pool, from 1; never reused
  LT_ATOMIC(uint32_t) thread;                  // of the first record: kernel thread id; 0 for main
  LT_ATOMIC(uint32_t) state;                   // lt_block_state
  // Written by the recorder.
  LT_ALIGNED(64) LT_ATOMIC(uint64_t) consumed;   // records whose chunk is written
  LT_ALIGNED(64) lt_record records[LT_BLOCK_RECORDS];
} lt_block;

LT_STATIC_ASSERT(sizeof(lt_record) == 56, "the record is part of the layout");
LT_STATIC_ASSERT(offsetof(lt_block, records) == LT_BLOCK_HEADER_BYTES, "two cache lines of header");
LT_STATIC_ASSERT(sizeof(lt_block) <= LT_BLOCK_BYTES, "a block fits its slot");

// The thread of the record at `position`, which is at most `committed`.
static inline uint32_t lt_block_thread_at(const lt_block *block, uint64_t position) {
  for (uint64_t at = position; at > 0; at--) {
    const lt_record *record = &block->records[at - 1];
    if (record->kind == LT_KIND_THREAD) return (uint32_t)record->identity;
  }
  return LT_LOAD(&block->thread, __ATOMIC_ACQUIRE);
}

typedef enum lt_pool_state {
  LT_POOL_LIVE = 1,
  LT_POOL_DETACHED = 2,  // the process left by itself (exit, exec)
} lt_pool_state;

// Entries of the tables: committed before first use, parsed in order by the recorder.
typedef enum lt_entry_type {
  LT_ENTRY_STRING = 1,  // id, then bytes
  LT_ENTRY_SITE = 2,    // id, then lt_site_entry
} lt_entry_type;

typedef struct lt_entry {
  uint32_t bytes;  // of this header and what follows, a multiple of 8
  uint16_t type;   // lt_entry_type
  uint16_t cut;    // 1 for a string that was longer
  uint32_t id;     // strings and sites are numbered apart, both from 1; 0 is none
  uint32_t payload_bytes;
} lt_entry;

// The id of a name, or of a site, for which the tables had no room: something, not known what.
#define LT_NAME_LOST 0xfffffffeu

typedef struct lt_site_entry {
  uint32_t name;    // string ids
  uint32_t file;
  uint32_t line;
  uint32_t labels;  // string id of "name:type,name:type", types as FieldType's case names
} lt_site_entry;

typedef enum lt_cut {
  LT_CUT_APP = 1,
  LT_CUT_PROCESS = 2,
  LT_CUT_REASON = 4,
  LT_CUT_VERSION = 8,
  LT_CUT_TEST = 16,
} lt_cut;

typedef struct lt_pool_header {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t header_bytes;      // offset of the tables
  uint64_t tables_bytes;      // offset of the blocks = header_bytes + tables_bytes
  uint32_t block_bytes;
  uint32_t blocks_max;        // the file is sized for these, sparsely
  LT_ATOMIC(uint32_t) blocks_ready;  // fallocated and prefaulted; grows by demand
  LT_ATOMIC(uint32_t) state;     // lt_pool_state
  uint32_t pid;
  uint32_t role;              // ProcessRole
  uint64_t pid_start;         // /proc/self/stat starttime, guards against pid reuse
  uint64_t writer_high, writer_low;
  uint64_t previous_high, previous_low;  // the incarnation before (exec, relaunch), or 0
  uint64_t attach_tick;
  char app[128];              // bundle id or executable name, NUL-terminated
  char process[64];
  char reason[32];            // launch reason
  char version[32];
  LT_ALIGNED(64) LT_ATOMIC(uint64_t) tables_committed;  // bytes of whole entries
  LT_ATOMIC(uint64_t) next_serial;
  LT_ALIGNED(64) LT_ATOMIC(uint64_t) dropped[LT_FAMILIES];  // by EventFamily, monotone
  LT_ATOMIC(uint64_t) strings_refused;                    // table full: LT_NAME_LOST was used
  uint32_t cut;                                           // lt_cut: which of the texts were longer
  char test[256];  // the test that it was started for: LIFETRACE_TEST, or pytest's own variable
} lt_pool_header;

typedef enum lt_clock_kind {
  LT_CLOCK_MONOTONIC = 0,  // clock_gettime, a tick is a nanosecond
  LT_CLOCK_COUNTER = 1,    // rdtsc, constant and non-stop; cntvct_el0 on arm64
} lt_clock_kind;

typedef enum lt_on_full { LT_ON_FULL_DROP = 0, LT_ON_FULL_BLOCK = 1 } lt_on_full;

// The recorder's side. The process maps it read-only.
typedef struct lt_session {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t recorder_pid;
  uint32_t clock_kind;        // decided once for all processes of the session
  uint32_t on_full;           // lt_on_full
  uint64_t block_timeout_ns;
  uint64_t pool_bytes_max;
  LT_ALIGNED(64) LT_ATOMIC(uint64_t) heartbeat_tick;  // fresh while the recorder drains
  LT_ATOMIC(uint32_t) open;      // 0: do not join any more
} lt_session;

// LIFETRACE_SESSION names the session directory; inherited by every process below the recorder.
#define LT_SESSION_VARIABLE "LIFETRACE_SESSION"

// A process that cannot join reports it to the recorder: one byte, to the abstract datagram socket
// that is named like the session's directory. It needs neither the directory nor the recorder's
// rights.
enum {
  LT_ABSENT_UNREACHABLE = 1,  // the directory is not there: another root or mount namespace
  LT_ABSENT_FORBIDDEN = 2,    // it belongs to another user
  LT_ABSENT_NO_ROOM = 3,      // no room for a pool, or none that could be made
  LT_ABSENT_VERSION = 4,      // another version of the SDK, or another kind of clock
};
// A process that is not heard, as in a network of its own, maps a file of this name: /proc/PID/maps
// shows it.
#define LT_ABSENT_MARK "lifetrace-absent"
