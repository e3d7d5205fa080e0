// SPDX-License-Identifier: Apache-2.0
//
// Where processes report that they could not join: an abstract socket, which is there whatever a
// process has for its root directory or its mounts.
#define _GNU_SOURCE
#include <cplatform.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int cplatform_absence_listen(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t bytes = strlen(name);
  if (bytes >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path + 1, name, bytes);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      bind(fd, (struct sockaddr *)&address, size) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

int cplatform_absence_read(int fd, cplatform_absence *out) {
  char control[CMSG_SPACE(sizeof(struct ucred))];
  uint8_t reason = 0;
  struct iovec part = {.iov_base = &reason, .iov_len = 1};
  struct msghdr message = {
      .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = control,
      .msg_controllen = sizeof control,
  };
  ssize_t count;
  do {
    count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return 0;
  memset(out, 0, sizeof *out);
  out->reason = count == 1 ? reason : 0;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    struct ucred sender;
    memcpy(&sender, CMSG_DATA(part), sizeof sender);
    out->pid = sender.pid;
    out->user = sender.uid;
  }
  return 1;
}
