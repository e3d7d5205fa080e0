// SPDX-License-Identifier: Apache-2.0
//
// What is reported: events with this library as their observer, and spans of what main does.

#include "observe.h"

#include <unistd.h>

_Atomic int lo_times_main;
uint64_t lo_news_ticks;

uint32_t lo_name_of(lo_file *file) {
  if (file->name != 0) return file->name;
  lo_below below;
  if (!lo_find_root(file->path, &below)) return 0;
  char name[2 * lo_path_bytes];
  size_t used = strlen(below.root_name);
  if (used >= lo_path_bytes) used = 0;
  memcpy(name, below.root_name, used);
  if (used > 0) name[used++] = '/';
  size_t bytes = strlen(below.path);
  memcpy(name + used, below.path, bytes);
  file->name = lo_sdk()->name(name, used + bytes);
  return file->name;
}

static void emit(uint64_t tick, uint8_t kind, uint32_t site, uint64_t identity, uint8_t count,
                 uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3) {
  lt_record record = {tick, site, kind, count, 0, LT_OBSERVER_INTERPOSED, identity,
                      {a0, a1, a2, a3}};
  lo_sdk()->emit(&record);
}

void lo_emit(uint8_t kind, uint32_t site, uint64_t identity, uint8_t count, uint64_t a0,
             uint64_t a1, uint64_t a2, uint64_t a3) {
  emit(0, kind, site, identity, count, a0, a1, a2, a3);
}

// ---------------------------------------------------------------- main

// About a millisecond where a tick is a nanosecond, less where ticks are faster.
static uint64_t news_ticks(bool counts) {
#if defined(__aarch64__)
  uint64_t frequency;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  if (counts) return frequency / 1000;
#endif
  (void)counts;
  return 1000000;
}

// A pool's clock that lies between two looks at the counter is the counter.
void lo_time_main(void) {
  uint64_t before = lt_counter(), tick = lo_sdk()->tick();
  bool counts = LT_HAS_COUNTER && before <= tick && tick <= lt_counter();
  lo_news_ticks = news_ticks(counts);
  atomic_store(&lo_times_main, counts ? LO_BY_COUNTER : LO_BY_CLOCK);
}

bool lo_is_main(void) {
  if (lo_self.is_main == 0) lo_self.is_main = gettid() == getpid() ? 1 : 2;
  return lo_self.is_main == 1;
}

uint64_t lo_time_begin_slow(void) {
  if (!lo_is_main() || !lo_enter()) return 0;
  uint64_t begin = lo_sdk()->tick() | 1;
  lo_leave();
  return begin;
}

lo_span lo_span_begin_slow(const char *live, uintptr_t caller) {
  lo_span span = {0, 0, 0};
  if (!lo_is_main() || !lo_enter()) return span;
  span.begin = lo_sdk()->tick() | 1;
  span.id = lo_sdk()->next_id();
  span.site = lo_site(live, caller);
  lo_emit(LT_KIND_WORK_BEGIN, span.site, span.id, 1, LT_WORK_FILE, 0, 0, 0);
  lo_leave();
  return span;
}

// A wait for a pipe or a peer is no access to a file.
static bool is_file(int descriptor) {
  struct stat status;
  if (descriptor < 0) return true;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

void lo_span_end_slow(lo_span span) {
  if (!lo_enter()) return;
  lo_emit(LT_KIND_WORK_END, span.site, span.id, 0, 0, 0, 0, 0);
  lo_leave();
}

void lo_time_end_slow(uint64_t begin, const char *what, int work, int descriptor,
                      uintptr_t caller) {
  uint64_t now = lo_sdk()->tick();
  if (now - begin < lo_news_ticks || !lo_enter()) return;
  if (is_file(descriptor)) {
    uint64_t id = lo_sdk()->next_id();
    uint32_t site = lo_site(what, caller);
    emit(begin, LT_KIND_WORK_BEGIN, site, id, 1, (uint64_t)work, 0, 0, 0);
    emit(now, LT_KIND_WORK_END, site, id, 0, 0, 0, 0, 0);
  }
  lo_leave();
}
