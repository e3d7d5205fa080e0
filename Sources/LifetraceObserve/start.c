// SPDX-License-Identifier: Apache-2.0
//
// How the library begins: whether it is wanted, whose pool it writes to, and what a child inherits.

#include "observe.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Thread_local lo_thread lo_self __attribute__((tls_model("initial-exec")));
bool lo_is_on;
static bool is_wanted;

_Atomic(const lt_observed *) lo_sdk_now = &lt_observed_here;

// The SDK of the program comes before main; ours is not used then. Of several the first is met: the
// others have pools of their own, as they would without us.
LO_BEFORE void lifetrace_observe_meet(const lt_observed *other) {
  const lt_observed *own = &lt_observed_here;
  if (other == NULL || other->version != LT_OBSERVED_VERSION || own->is_recorded(false)) return;
  atomic_compare_exchange_strong(&lo_sdk_now, &own, other);
}

bool lo_enter(void) {
  if (!lo_is_open() || lo_sdk()->is_inside()) return false;
  lo_self.error = errno;
  lo_self.depth = 1;
  return true;
}

void lo_leave(void) {
  lo_self.depth = 0;
  errno = lo_self.error;
}

// The host launches apps itself. What an app starts is none, though it inherits the environment.
static bool is_launched(void) {
  return lo_recorder != 0 && (uint32_t)getppid() == lo_recorder;
}

bool lt_observer_is_launched(void) { return is_launched(); }

static bool is_said_to_be_app(void) {
  const char *reason = getenv("LIFETRACE_REASON"), *role = getenv("LIFETRACE_ROLE");
  if (!is_launched()) return false;
  return (role != NULL && strcmp(role, "app") == 0) || (reason != NULL && reason[0] != 0);
}

static bool is_app;

// Whether a program runs what others have written: `python3`, `python3.11`, `node`.
static bool is_interpreter(const char *name) {
  static const char *const known[] = {"python", "node", "ruby", "perl", "php", "lua",
                                      "tclsh",  "bash", "dash", "zsh",  "sh"};
  for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
    size_t count = strlen(known[at]);
    if (strncmp(name, known[at], count) != 0) continue;
    const char *version = name + count;
    if (version[strspn(version, "0123456789.")] == 0) return true;
  }
  return false;
}

// What an interpreter runs: the file name of its script, or a module; null where it is neither.
static const char *script(char **arguments) {
  if (arguments == NULL || !is_interpreter(program_invocation_short_name)) return NULL;
  for (char **at = arguments + 1; arguments[0] != NULL && *at != NULL; at++) {
    const char *text = *at;
    if (text[0] != '-') {
      const char *slash = strrchr(text, '/');
      const char *name = slash == NULL ? text : slash + 1;
      return name[0] == 0 ? NULL : name;
    }
    if (strcmp(text, "-m") == 0) return at[1];
    if (strcmp(text, "-c") == 0 || strcmp(text, "-e") == 0 || strcmp(text, "-") == 0) return NULL;
    // These take a word of their own.
    if ((strcmp(text, "-W") == 0 || strcmp(text, "-X") == 0) && at[1] != NULL) at++;
  }
  return NULL;
}

// Life-cycle rules are for apps. Nobody has said that this is one, unless the host did, which knows what
// its scenario calls it. Any other program goes by its name, and what runs in one by its own.
static void configure(char **arguments) {
  is_app = is_said_to_be_app();
  const char *name = is_launched() ? getenv("LIFETRACE_CALLED") : NULL;
  if (name == NULL || name[0] == 0) name = script(arguments);
  lt_configure(name, is_app ? LT_ROLE_APP : LT_ROLE_DAEMON, NULL, NULL);
}

// No file is being changed while a child is made. A signal handler that forks may have interrupted
// what holds the lock.
static void before_fork(void) {
  lo_self.has_locked = lo_self.depth == 0;
  if (lo_self.has_locked) lo_lock();
}
static void behind_fork(void) {
  if (lo_self.has_locked) lo_unlock();
}
static void in_child(void) {
  behind_fork();
  lo_self.is_main = 1;
  lo_files_in_child();
  if (lo_sdk() == &lt_observed_here) {
    is_app = false;
    lt_configure(NULL, LT_ROLE_DAEMON, "fork", NULL);
    atomic_store(&lo_times_main, LO_NOT_TIMED);
  }
}

// An app whose main thread is timed joins at once: else nobody knows the clock.
void lo_look_at_role(void) {
  if (atomic_load_explicit(&lo_times_main, memory_order_relaxed) != LO_NOT_TIMED) return;
  bool is_own = lo_sdk() == &lt_observed_here;
  if ((!is_own || is_app) && lo_sdk()->is_recorded(is_own)) lo_time_main();
}

__attribute__((constructor)) static void start(int count, char **arguments) {
  (void)count;
  const char *wanted = secure_getenv(LT_OBSERVED_VARIABLE);
  if (wanted == NULL || secure_getenv(LT_SESSION_VARIABLE) == NULL) return;
  int error = errno;
  lo_roots_read(wanted);
  lo_files_start();
  lo_ledger_start();
  lo_caller_start();
  configure(arguments);
  is_wanted = lo_descriptors_of != NULL;
  errno = error;
}

// Behind the constructors: on a fork our lock is taken before that of the pool, as by an emit.
void lo_begin(void) {
  if (!is_wanted) return;
  pthread_atfork(before_fork, behind_fork, in_child);
  lo_is_on = true;
  // What a shell has opened for this program.
  for (int file = 0; lo_has_data && file <= 2; file++) {
    if (!lo_enter()) break;
    lo_adopt(file);
    lo_leave();
  }
  lo_look_at_role();
}
