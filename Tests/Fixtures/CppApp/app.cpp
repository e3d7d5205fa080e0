// SPDX-License-Identifier: Apache-2.0
// An app in C++: what lifetrace.h records for C it records here, with scopes and templates around it.
#include <lifetrace.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// Work that ends with its scope.
class Work {
 public:
  explicit Work(const char *name) : span(LT_WORK_BEGIN(name, LT_WORK_FILE)) {}
  ~Work() { LT_WORK_END(span); }
  Work(const Work &) = delete;

 private:
  lt_span span;
};

template <typename Text>
uint64_t edit(uint32_t object, const Text &text) {
  uint64_t version = LT_DATA_DIRTY(object, text.size());
  LT_SAVE(object, "draft.txt", text.data(), text.size());
  return version;
}

}  // namespace

int main() {
  LT_CONFIGURE("com.example.cpp", LT_ROLE_APP, "icon", "1.0");
  LT_TRANSITION(1, 3, "launch");
  lt_span callback = LT_CALLBACK_BEGIN("applicationDidBecomeActive:");
  LT_CALLBACK_END(callback, true);
  lt_span turn = LT_TURN_BEGIN("");
  LT_TURN_END(turn);
  {
    Work work("load");
    lt_span wait = LT_WAIT_BEGIN("disk", "lock");
    LT_WAIT_END(wait);
  }
  std::thread([] { LT_MARK("elsewhere"); }).join();
  const uint32_t draft = lt_name("draft.txt");
  const uint64_t version = edit(draft, std::string("Dear diary"));
  lt_span task = LT_TASK_BEGIN("upload", 30000000000, true);
  LT_TASK_EXPIRE(task);
  LT_TASK_END(task);
  lt_span deadline = LT_DEADLINE_OPEN("answer", 1000000000, false);
  LT_DEADLINE_CLOSE(deadline);
  lt_span wake = LT_WAKE_BEGIN("fetch", 30000000000);
  LT_WAKE_COMPLETION(wake, "newData");
  lt_span test = LT_TEST_BEGIN("suite", "case");
  LT_TEST_END(test, "passed");
  LT_RESOURCE_ACQUIRE("store", LT_RESOURCE_LOCK, "private");
  LT_RESOURCE_USE("store", LT_RESOURCE_LOCK, "private", 5);
  LT_RESOURCE_RELEASE("store", LT_RESOURCE_LOCK, "private");
  LT_DEVICE("lock", "", -1);
  LT_TOUCH("save");
  LT_MEMORY_SAMPLE();
  LT_NOTIFICATION_POSTED("type", "key", "value", "app");
  LT_NOTIFICATION_DELIVERED("type", "key", "value");
  LT_NOTIFICATION_HANDLED("type", "key", 5);
  const int bytes = 7;
  const uint64_t flow = lt_flow();
  LT_MESSAGE_SEND("peer", flow, bytes, lt_hlc_send());
  LT_MESSAGE_RECEIVE("peer", flow, bytes, lt_hlc_send());
  LT_DATA_FLUSHING(draft, version, bytes);
  LT_DATA_DURABLE(draft, version, LT_LEVEL_DISK, bytes, 0);
  LT_DATA_DISCARDED(draft, version);
  LT_LOG("careful", LT_LOG_ERROR);
  void *found = nullptr;
  size_t count = 0;
  uint64_t saved = 0;
  if (LT_RESTORE(draft, "draft.txt", &found, &count, &saved) != 0 || saved != version) return 1;
  std::printf("read %.*s\n", static_cast<int>(count), static_cast<char *>(found));
  std::free(found);
  return 0;
}
