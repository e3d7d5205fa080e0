// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cplatform.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

int cplatform_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }
uint64_t cplatform_device(unsigned major, unsigned minor) { return makedev(major, minor); }
int cplatform_reserve(int fd, int64_t bytes) { return fallocate(fd, 0, 0, bytes); }

int cplatform_open(const char *path, int flags, unsigned mode) {
  // The name may move while the lease is waited for; this holds what it named.
  int pin = flags & O_CREAT ? -1 : open(path, O_PATH | O_CLOEXEC);
  int opened = open(path, flags, mode);
  if (opened < 0 && errno == EWOULDBLOCK && pin >= 0) {
    char pinned[32];
    snprintf(pinned, sizeof pinned, "/proc/self/fd/%d", pin);
    opened = open(pinned, flags & ~O_NONBLOCK);
  }
  int error = errno;
  if (pin >= 0) close(pin);
  errno = error;
  return opened;
}

int cplatform_has_attribute(const char *path, const char *name) {
  return getxattr(path, name, NULL, 0) >= 0;
}

int cplatform_exchange(const char *one, const char *other) {
#ifdef SYS_renameat2
  return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2 /* RENAME_EXCHANGE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  remove(path);
  return 0;
}

void cplatform_remove_tree(const char *directory) {
  nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int cplatform_watch_directory(const char *directory) {
  int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd < 0) return -1;
  if (inotify_add_watch(fd, directory, IN_MOVED_TO | IN_ONLYDIR) < 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

void cplatform_drain(int fd) {
  char buffer[4096];
  while (read(fd, buffer, sizeof buffer) > 0) {
  }
}

int cplatform_signal_fd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error != 0) {
    errno = error;
    return -1;
  }
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void cplatform_signal_unblock(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int cplatform_signal_read(int fd, cplatform_signal *out) {
  struct signalfd_siginfo info;
  ssize_t got = read(fd, &info, sizeof info);
  if (got != sizeof info) return got < 0 && errno != EAGAIN ? -1 : 0;
  out->number = (int)info.ssi_signo;
  out->from_user = info.ssi_code == SI_USER || info.ssi_code == SI_QUEUE || info.ssi_code == SI_TKILL;
  out->sender = (pid_t)info.ssi_pid;
  return 1;
}

int cplatform_event_fd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void cplatform_event_post(int fd) {
  uint64_t one = 1;
  ssize_t ignored = write(fd, &one, sizeof one);  // full means that it is posted already
  (void)ignored;
}

int cplatform_poll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

int cplatform_poll_add(int poll_fd, int fd, uint64_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};
  return epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event);
}

int cplatform_poll_remove(int poll_fd, int fd) {
  return epoll_ctl(poll_fd, EPOLL_CTL_DEL, fd, NULL);
}

int cplatform_poll_wait(int poll_fd, uint64_t *tags, int max, int64_t nanoseconds) {
  struct epoll_event events[64];
  if (max > 64) max = 64;
  int count = -1;
#ifdef SYS_epoll_pwait2
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  count = (int)syscall(SYS_epoll_pwait2, poll_fd, events, max, &limit, NULL, 0);
  // Older kernels do not have it, older container profiles forbid it.
  if (count < 0 && errno == EINTR) return 0;
#endif
  if (count < 0) {
    count = epoll_wait(poll_fd, events, max, (int)((nanoseconds + 999999) / 1000000));
    if (count < 0) return errno == EINTR ? 0 : -1;
  }
  for (int i = 0; i < count; i++) tags[i] = events[i].data.u64;
  return count;
}

// The kernel gives a lease for writing only on a file that no other process has open.
int cplatform_file_is_held(int fd) {
  // When a process opens the file while we hold the lease, the kernel sends us a signal: one that
  // is ignored.
  if (fcntl(fd, F_SETSIG, SIGURG) != 0) return -1;
  if (fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return 0;
  }
  return errno == EAGAIN ? 1 : -1;
}

int cplatform_is_in_memory(const char *path) {
  struct statfs facts;
  return statfs(path, &facts) != 0 ? -1 : facts.f_type == TMPFS_MAGIC;
}
