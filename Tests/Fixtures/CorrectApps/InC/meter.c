// SPDX-License-Identifier: Apache-2.0

#include "meter.h"

#include <lifetrace.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char readings[4096];
static unsigned added, saved;

void meter_load(const char *path) {
  void *bytes;
  size_t count;
  uint64_t version;
  lt_span work = LT_WORK_BEGIN("load readings", LT_WORK_OTHER);
  if (LT_RESTORE(lt_name("readings.txt"), path, &bytes, &count, &version) == 0) {
    pthread_mutex_lock(&mutex);
    snprintf(readings, sizeof readings, "%.*s", (int)count, (const char *)bytes);
    added = saved = 0;
    pthread_mutex_unlock(&mutex);
    free(bytes);
  }
  LT_WORK_END(work);
  LT_MEMORY_SAMPLE();
}

void meter_add(const char *reading) {
  pthread_mutex_lock(&mutex);
  size_t used = strlen(readings);
  snprintf(readings + used, sizeof readings - used, "%s\n", reading);
  added += 1;
  (void)LT_DATA_DIRTY(lt_name("readings.txt"), strlen(readings));
  pthread_mutex_unlock(&mutex);
  LT_MARK("reading added");
}

int meter_save(const char *path) {
  pthread_mutex_lock(&mutex);
  unsigned edits = added;
  bool is_new = edits != saved;
  uint32_t object = lt_name("readings.txt");
  uint64_t version = lt_version(object);
  char copy[sizeof readings];
  memcpy(copy, readings, sizeof copy);
  pthread_mutex_unlock(&mutex);
  if (!is_new) return 0;

  LT_RESOURCE_ACQUIRE("readings.txt", LT_RESOURCE_FILE, "");
  lt_span deadline = LT_DEADLINE_OPEN("save readings", 60000000000, false);
  int error = lt_save_version(object, LT_SITE("meter_save"), path, copy, strlen(copy),
                              LT_LEVEL_DISK, version);
  LT_DEADLINE_CLOSE(deadline);
  LT_RESOURCE_RELEASE("readings.txt", LT_RESOURCE_FILE, "");
  if (error != 0) LT_LOG("the readings could not be saved", LT_LOG_ERROR);
  pthread_mutex_lock(&mutex);
  if (error == 0) saved = edits;
  pthread_mutex_unlock(&mutex);
  return error;
}
