// SPDX-License-Identifier: Apache-2.0
//
// The guardian is forked from a process with many threads: after fork it uses
// nothing but system calls and its own static memory.
#define _GNU_SOURCE
#include <cplatform.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { GROUPS_MAX = 4096, PASSES_MAX = 200, ENVIRONMENT_MAX = 1 << 20, MARKER_MAX = 4200 };
enum { WATCH = 1, DISMISS = 2, WATCH_CGROUP = 3 };

// After WATCH_CGROUP this many bytes follow, the group's path; both are written at once.
typedef struct order {
  int32_t what;
  int32_t group;
} order;

struct kernel_dirent {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

// Only the guardian uses these, and the thread that has locked `scratch`; each process its own
// copy.
static char environment[ENVIRONMENT_MAX];
static char directory[32768] __attribute__((aligned(8)));
static char marker_copy[MARKER_MAX];
static char cgroup[PATH_MAX];
static pthread_mutex_t scratch = PTHREAD_MUTEX_INITIALIZER;

static int is_marked(const char *pid, const char *marker) {
  char path[64] = "/proc/";
  strncat(path, pid, 20);
  strncat(path, "/environ", 9);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t length = 0;
  ssize_t got;
  while (length < sizeof environment - 1 &&
         (got = read(fd, environment + length, sizeof environment - 1 - length)) > 0) {
    length += (size_t)got;
  }
  close(fd);
  environment[length] = 0;
  for (size_t at = 0; at < length; at += strlen(environment + at) + 1) {
    if (strcmp(environment + at, marker) == 0) return 1;
  }
  return 0;
}

// One pass over /proc; a pidfd taken before the look makes sure that the process killed is the one
// that was seen.
static int kill_marked_once(const char *marker) {
  int found = 0;
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return 0;
  long bytes;
  while ((bytes = syscall(SYS_getdents64, proc, directory, sizeof directory)) > 0) {
    for (long at = 0; at < bytes;) {
      struct kernel_dirent *entry = (struct kernel_dirent *)(directory + at);
      at += entry->length;
      int pid = atoi(entry->name);
      if (pid <= 0 || pid == getpid()) continue;
      int pidfd = cplatform_pidfd_open(pid);
      if (pidfd < 0) continue;
      if (is_marked(entry->name, marker)) {
        found++;
        cplatform_pidfd_send_signal(pidfd, SIGKILL);
      }
      close(pidfd);
    }
  }
  close(proc);
  return found;
}

static void pause_a_moment(void) {
  struct timespec moment = {.tv_nsec = 5000000};
  nanosleep(&moment, NULL);
}

static int kill_marked(const char *marker) {
  int total = 0;
  for (int pass = 0; pass < PASSES_MAX; pass++) {
    int found = kill_marked_once(marker);
    if (found == 0) break;
    if (pass == 0) total = found;
    pause_a_moment();
  }
  return total;
}

int cplatform_kill_marked(const char *marker) {
  pthread_mutex_lock(&scratch);
  int total = kill_marked(marker);
  pthread_mutex_unlock(&scratch);
  return total;
}

static void write_one(int parent, const char *name) {
  int fd = openat(parent, name, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!write(fd, "1", 1);
  close(fd);
}

// A kernel before 5.14 has no cgroup.kill: then each process on its own.
static void kill_listed(int parent) {
  int fd = openat(parent, "cgroup.procs", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t got = read(fd, directory, sizeof directory - 1);
  close(fd);
  directory[got > 0 ? got : 0] = 0;
  for (char *at = directory; *at;) {
    pid_t pid = (pid_t)strtol(at, &at, 10);
    if (pid > 1) kill(pid, SIGKILL);
    while (*at == '\n') at++;
  }
}

// The groups directly below; each is removed as soon as no process is left in it.
static void empty_children(int parent) {
  lseek(parent, 0, SEEK_SET);
  long bytes;
  static char names[4096] __attribute__((aligned(8)));
  while ((bytes = syscall(SYS_getdents64, parent, names, sizeof names)) > 0) {
    for (long at = 0; at < bytes;) {
      struct kernel_dirent *entry = (struct kernel_dirent *)(names + at);
      at += entry->length;
      if (entry->type != DT_DIR || entry->name[0] == '.') continue;
      int child = openat(parent, entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (child < 0) continue;
      kill_listed(child);
      close(child);
      unlinkat(parent, entry->name, AT_REMOVEDIR);
    }
  }
}

static int remove_cgroup(const char *path) {
  for (int pass = 0; pass < PASSES_MAX; pass++) {
    int parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) return errno == ENOENT ? 0 : -1;
    write_one(parent, "cgroup.kill");
    empty_children(parent);
    close(parent);
    if (rmdir(path) == 0) return 0;
    pause_a_moment();
  }
  return -1;
}

int cplatform_cgroup_remove(const char *path) {
  pthread_mutex_lock(&scratch);
  int status = remove_cgroup(path);
  pthread_mutex_unlock(&scratch);
  return status;
}

static void guard(int fd, const char *marker) {
  static pid_t groups[GROUPS_MAX];
  int count = 0;
  order order;
  for (;;) {
    ssize_t got = read(fd, &order, sizeof order);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof order) break;
    if (order.what == DISMISS) _exit(0);
    if (order.what == WATCH_CGROUP) {
      if (order.group <= 0 || order.group >= (int)sizeof cgroup) break;
      if (read(fd, cgroup, (size_t)order.group) != order.group) break;
      cgroup[order.group] = 0;
      continue;
    }
    int at = 0;
    while (at < count && groups[at] != order.group) at++;
    if (order.what == WATCH && at == count && count < GROUPS_MAX && order.group > 1) {
      groups[count++] = order.group;
    }
  }
  for (int i = 0; i < count; i++) kill(-groups[i], SIGKILL);
  kill_marked(marker);
  if (cgroup[0]) remove_cgroup(cgroup);
  _exit(0);
}

pid_t cplatform_guardian_start(const char *marker, int *pipe_fd) {
  int ends[2];
  if (strlen(marker) >= sizeof marker_copy) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  pid_t pid = fork();
  if (pid != 0) {
    int error = errno;
    close(ends[0]);
    if (pid < 0) {
      close(ends[1]);
      errno = error;
      return -1;
    }
    *pipe_fd = ends[1];
    return pid;
  }
  strcpy(marker_copy, marker);
  setsid();  // no terminal, no process's group
  for (int number = 1; number < 65; number++) {
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_IGN);
  }
  prctl(PR_SET_NAME, "lifetrace-guard", 0, 0, 0);
  dup2(ends[0], 0);
  int null = open("/dev/null", O_RDWR);
  dup2(null, 1);
  dup2(null, 2);
  syscall(SYS_close_range, 3u, ~0u, 0u);
  guard(0, marker_copy);
  return 0;
}

static int tell(int fd, int what, pid_t group) {
  order order = {.what = what, .group = group};
  return write(fd, &order, sizeof order) == sizeof order ? 0 : -1;
}

int cplatform_guardian_watch(int fd, pid_t group) { return tell(fd, WATCH, group); }

int cplatform_guardian_watch_cgroup(int fd, const char *path) {
  struct {
    order order;
    char path[PATH_MAX];
  } message = {.order = {.what = WATCH_CGROUP}};
  size_t length = strlen(path);
  // A pipe takes no more than PIPE_BUF in one piece.
  if (length + sizeof message.order > PIPE_BUF) {
    errno = ENAMETOOLONG;
    return -1;
  }
  message.order.group = (int32_t)length;
  memcpy(message.path, path, length);
  size_t size = sizeof message.order + length;
  return write(fd, &message, size) == (ssize_t)size ? 0 : -1;
}

int cplatform_guardian_dismiss(int fd) { return tell(fd, DISMISS, 0); }
