// SPDX-License-Identifier: Apache-2.0
//
// vfork: the child borrows the caller's memory until exec, so it can say by a
// plain store which step failed, and nothing of a large recorder is copied. It
// must not return, allocate, or touch anything but its own locals.
#define _GNU_SOURCE
#include <cplatform.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct outcome {
  volatile int stage;
  volatile int error;
} outcome;

static void fail(outcome *outcome, int stage) {
  outcome->stage = stage;
  outcome->error = errno;
  _exit(127);
}

static void become(const cplatform_spawn_request *request, pid_t parent, outcome *outcome) {
  if (request->parent_death_signal) {
    prctl(PR_SET_PDEATHSIG, request->parent_death_signal);
    if (getppid() != parent) _exit(127);  // it died before we asked
  }
  if (request->cgroup > 0 && write(request->cgroup, "0", 1) != 1) {
    fail(outcome, CPLATFORM_SPAWN_CGROUP);
  }
  if (request->group >= 0 && setpgid(0, request->group) != 0) fail(outcome, CPLATFORM_SPAWN_GROUP);
  if (request->directory && chdir(request->directory) != 0) {
    fail(outcome, CPLATFORM_SPAWN_DIRECTORY);
  }
  // Lift the given descriptors above 2 first: one of them may stand where another belongs.
  int lifted[3];
  for (int i = 0; i < 3; i++) {
    lifted[i] = request->standard[i];
    if (lifted[i] < 0) continue;
    lifted[i] = fcntl(lifted[i], F_DUPFD_CLOEXEC, 3);
    if (lifted[i] < 0) fail(outcome, CPLATFORM_SPAWN_DESCRIPTORS);
  }
  for (int i = 0; i < 3; i++) {
    if (lifted[i] >= 0 && dup2(lifted[i], i) < 0) fail(outcome, CPLATFORM_SPAWN_DESCRIPTORS);
  }
  for (int number = 1; number < 65; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL) continue;
    // What the caller was started with as ignored (nohup) stays so, except SIGPIPE.
    if (action.sa_handler == SIG_IGN && number != SIGPIPE && number != SIGTTOU) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigaction(number, &action, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvpe(request->arguments[0], request->arguments, request->environment);
  fail(outcome, CPLATFORM_SPAWN_EXEC);
}

pid_t cplatform_spawn(const cplatform_spawn_request *request, int *failed_stage) {
  outcome outcome = {.stage = 0, .error = 0};
  pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = vfork();
  if (child == 0) become(request, parent, &outcome);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (child < 0) {
    *failed_stage = CPLATFORM_SPAWN_FORK;
    errno = error;
    return -1;
  }
  if (outcome.stage == 0) return child;
  cplatform_wait_result ignored;
  cplatform_wait(child, 0, 0, 1, &ignored);
  *failed_stage = outcome.stage;
  errno = outcome.error;
  return -1;
}
