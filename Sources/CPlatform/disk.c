// SPDX-License-Identifier: Apache-2.0
//
// A disk that can lose power. Its mount belongs to the mount namespace of one thread and to what
// that thread starts, and its loop device to the mount: with the last of these processes both are
// gone, whichever was killed, and there is nothing to clean up.
#define _GNU_SOURCE
#include <cplatform.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

enum { ATTEMPTS_MAX = 64 };

// From <linux/ext4.h>, which is newer than the headers we build with.
#define EXT4_SHUTDOWN _IOR('X', 125, uint32_t)
#define EXT4_WITHOUT_LOG_FLUSH 2u

int cplatform_private_mounts(void) {
  if (unshare(CLONE_NEWNS) != 0) return -1;
  // Later mounts of the system are seen here; mounts made here are seen nowhere else.
  return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

// A loop device over the file, which is free again with its last user; its path in `device`.
static int attach(int image, char *device, size_t size) {
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return -1;
  int loop = -1;
  for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) break;
    snprintf(device, size, "/dev/loop%d", number);
    loop = open(device, O_RDWR | O_CLOEXEC);
    if (loop < 0) break;
    struct loop_config config;
    memset(&config, 0, sizeof config);
    config.fd = (uint32_t)image;
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (ioctl(loop, LOOP_CONFIGURE, &config) == 0) break;
    int error = errno;
    close(loop);
    loop = -1;
    errno = error;
    if (error != EBUSY) break;  // else another process was faster: the next one
  }
  int error = errno;
  close(control);
  errno = error;
  return loop;
}

int cplatform_disk_mount(int image, const char *directory, int *failed_stage) {
  char device[32];
  *failed_stage = CPLATFORM_DISK_LOOP;
  int loop = attach(image, device, sizeof device);
  if (loop < 0) return -1;
  *failed_stage = CPLATFORM_DISK_MOUNT;
  // The journal is written at a sync, not every few seconds.
  const char *options = "commit=3600,noinit_itable";
  int status = mount(device, directory, "ext4", MS_NOSUID | MS_NODEV, options);
  int error = errno;
  close(loop);
  errno = error;
  return status;
}

int cplatform_disk_cut(const char *directory) {
  int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return -1;
  uint32_t flags = EXT4_WITHOUT_LOG_FLUSH;
  int status = ioctl(root, EXT4_SHUTDOWN, &flags);
  int error = errno;
  close(root);
  errno = error;
  return status;
}

int cplatform_disk_unmount(const char *directory, int by_force) {
  return umount2(directory, by_force ? MNT_DETACH : 0);
}
