// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cplatform.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

int cplatform_set_subreaper(int on) { return prctl(PR_SET_CHILD_SUBREAPER, on, 0, 0, 0); }
int cplatform_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
void cplatform_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
int cplatform_raise_thread(void) { return setpriority(PRIO_PROCESS, 0, -10); }
int cplatform_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
pid_t cplatform_fork(void) { return fork(); }

int cplatform_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

// struct pidfd_info, first version, of <linux/pidfd.h>: newer than the headers we build with.
typedef struct pidfd_info_v0 {
  uint64_t mask;
  uint64_t cgroup;
  uint32_t pid, tgid, ppid;
  uint32_t ids[8];
  int32_t exit_code;
} pidfd_info_v0;
_Static_assert(sizeof(pidfd_info_v0) == 64, "PIDFD_INFO_SIZE_VER0");
#define PIDFD_GET_INFO_V0 _IOWR(0xFF, 11, pidfd_info_v0)
#define PIDFD_INFO_EXIT_BIT (1u << 3)

int cplatform_pidfd_exit_status(int pidfd, int *wait_status) {
  pidfd_info_v0 info = {.mask = PIDFD_INFO_EXIT_BIT};
  if (ioctl(pidfd, PIDFD_GET_INFO_V0, &info) != 0) return -1;
  if (!(info.mask & PIDFD_INFO_EXIT_BIT)) {
    errno = EAGAIN;  // not reaped yet, or a kernel that does not report it
    return -1;
  }
  *wait_status = info.exit_code;
  return 0;
}

cplatform_wait_result cplatform_split_status(pid_t pid, int status) {
  cplatform_wait_result result = {.pid = pid, .change = CPLATFORM_NOTHING};
  if (WIFEXITED(status)) {
    result.change = CPLATFORM_EXITED;
    result.value = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    result.change = CPLATFORM_SIGNALED;
    result.value = WTERMSIG(status);
  }
  return result;
}

int cplatform_wait(pid_t pid, int stops, int keep, int block, cplatform_wait_result *result) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  int options = WEXITED;
  if (stops) options |= WSTOPPED | WCONTINUED;
  if (keep) options |= WNOWAIT;
  if (!block) options |= WNOHANG;
  int status;
  do {
    status = waitid(pid == 0 ? P_ALL : P_PID, (id_t)pid, &info, options);
  } while (status != 0 && errno == EINTR);
  result->pid = 0;
  result->change = CPLATFORM_NOTHING;
  result->value = 0;
  if (status != 0) return -1;
  if (info.si_pid == 0) return 0;
  result->pid = info.si_pid;
  result->value = info.si_status;
  switch (info.si_code) {
    case CLD_EXITED: result->change = CPLATFORM_EXITED; break;
    case CLD_KILLED:
    case CLD_DUMPED: result->change = CPLATFORM_SIGNALED; break;
    case CLD_STOPPED:
    case CLD_TRAPPED: result->change = CPLATFORM_STOPPED; break;
    case CLD_CONTINUED: result->change = CPLATFORM_CONTINUED; break;
    default: break;
  }
  return 0;
}
