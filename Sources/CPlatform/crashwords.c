// SPDX-License-Identifier: Apache-2.0
//
// A line on standard error at a crash, ahead of what is said of the crash itself. A handler may only do
// what is safe in any state: the words are put down before.

#include "include/cplatform.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { words_max = 4096, signals_max = 16 };

static char words[words_max];
static _Atomic size_t words_used;
static int numbers[signals_max];
static struct sigaction before[signals_max];
static int number_count;

static void speak(int number) {
  size_t count = atomic_exchange(&words_used, 0);
  for (size_t done = 0; done < count;) {
    ssize_t written = write(STDERR_FILENO, words + done, count - done);
    if (written <= 0) break;
    done += (size_t)written;
  }
  cplatform_crash_stop();
  // It comes once more when this returns, to whom it would have come without us.
  raise(number);
}

void cplatform_crash_listen(const int *signals, int count) {
  struct sigaction ours = {.sa_handler = speak, .sa_flags = SA_ONSTACK};
  sigfillset(&ours.sa_mask);
  number_count = 0;
  for (int at = 0; at < count && at < signals_max; at++) {
    numbers[at] = signals[at];
    if (sigaction(signals[at], &ours, &before[at]) != 0) break;
    number_count++;
  }
}

void cplatform_crash_words(const char *text) {
  size_t count = strlen(text);
  if (count > words_max) count = words_max;
  atomic_store(&words_used, 0);
  memcpy(words, text, count);
  atomic_store(&words_used, count);
}

void cplatform_crash_stop(void) {
  atomic_store(&words_used, 0);
  for (int at = 0; at < number_count; at++) sigaction(numbers[at], &before[at], NULL);
  number_count = 0;
}
