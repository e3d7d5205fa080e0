// SPDX-License-Identifier: Apache-2.0
//
// Every macro of the C header once, as an app would use it.

#include "emitter.h"
#include "lifetrace_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "Dear diary";

int tour_story(const char *directory) {
  LT_CONFIGURE("com.example.tour", LT_ROLE_DAEMON, "icon", "1.2");
  LT_TRANSITION(LT_STATE_INACTIVE, LT_STATE_ACTIVE, "launch");

  lt_span callback = LT_CALLBACK_BEGIN("applicationDidBecomeActive:");
  lt_span turn = LT_TURN_BEGIN("timer");
  lt_span work = LT_WORK_BEGIN("load", LT_WORK_FILE);
  lt_span wait = LT_WAIT_BEGIN("store", "lock");
  LT_WAIT_END(wait);
  LT_WORK_END(work);
  LT_TURN_END(turn);
  LT_CALLBACK_END(callback, 1);

  lt_span task = LT_TASK_BEGIN("save", 30000000000, true);
  LT_TASK_EXPIRE(task);
  LT_TASK_END(task);
  lt_span deadline = LT_DEADLINE_OPEN("launch", 5000000000, false);
  LT_DEADLINE_CLOSE(deadline);
  lt_span wake = LT_WAKE_BEGIN("push", 30000000000);
  LT_WAKE_REPORTED(wake, "4711");
  LT_WAKE_COMPLETION(wake, "newData");
  lt_span test = LT_TEST_BEGIN("suite", "test");
  LT_TEST_END(test, "passed");

  LT_NOTIFICATION_POSTED("locale", "identifier", "sv_SE", "system");
  LT_NOTIFICATION_DELIVERED("locale", "identifier", "sv_SE");
  LT_NOTIFICATION_HANDLED("locale", "identifier", 1000);
  LT_DEVICE("orientation", "landscape", 3);
  LT_TOUCH("editor");
  LT_RESOURCE_ACQUIRE("notes.db", LT_RESOURCE_LOCK, "shared");
  LT_RESOURCE_USE("notes.db", LT_RESOURCE_LOCK, "shared", 4);
  LT_RESOURCE_RELEASE("notes.db", LT_RESOURCE_LOCK, "shared");
  LT_MEMORY_SAMPLE();
  LT_MARK("halfway");
  LT_LOG("all is well", 1);

  uint64_t flow = lt_flow();
  LT_MESSAGE_SEND("server", flow, 10, lt_hlc_send());
  LT_MESSAGE_RECEIVE("server", flow, 10, lt_hlc_send());
  lt_context sent = LT_SEND("server", 10, NULL);
  LT_SEND_AGAIN("server", 10, &sent);
  LT_RECEIVE("server", 10, &sent);

  uint32_t draft = lt_name("draft.txt");
  uint64_t version = LT_DATA_DIRTY(draft, sizeof text);
  LT_DATA_FLUSHING(draft, version, sizeof text);
  LT_DATA_DURABLE(draft, version, LT_LEVEL_KERNEL, sizeof text, lt_hash(text, sizeof text));
  LT_DATA_FAILED(draft, version, 28, "write");
  LT_DATA_DISCARDED(draft, version);

  char path[4096];
  snprintf(path, sizeof path, "%s/draft.txt", directory);
  if (LT_SAVE(draft, path, text, sizeof text) != 0) return 3;
  void *bytes = NULL;
  size_t count = 0;
  uint64_t found = 0;
  if (LT_RESTORE(draft, path, &bytes, &count, &found) != 0) return 4;
  bool same = count == sizeof text && memcmp(bytes, text, count) == 0 && found == version;
  free(bytes);
  return same ? 0 : 5;
}
