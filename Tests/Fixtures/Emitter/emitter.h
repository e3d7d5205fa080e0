// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lifetrace.h>

// `identity` says who counts (a thread's index), `number` counts from 0.
void emit_numbers(uint64_t identity, uint64_t first, uint64_t count);
// Runs `count` threads that emit `each` numbers, `together` of them at a time.
void run_threads(uint64_t count, uint64_t each, uint64_t together);
// From now on this thread is stopped for a while, again and again, wherever it is.
void interrupt_this_thread(void);

int fork_story(int raw);
int progress_story(const char *path, uint64_t threads, uint64_t count, uint64_t pause);
int tmpfs_story(const char *directory, const char *size, const char *filled, uint64_t count);
int sidecar_story(const char *directory);
int savers_story(const char *directory, int rounds);
int without_pidfd_story(char **command);
int holder_story(const char *path, int goes);
int liars_story(const char *name, int count);
int tour_story(const char *directory);
