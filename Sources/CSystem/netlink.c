// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <csystem.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATA = NLMSG_HDRLEN + sizeof(struct cn_msg) };
#define FIELD(name) (DATA + offsetof(struct proc_event, name))

// Lets through what translate() takes. The kernel tells of every thread on the machine: on a busy
// one that would be thousands of wake-ups a second for nothing.
static void filter(int fd) {
  // Words of a message are loaded as if in network order.
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(what)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXEC), 10, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXIT), 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_FORK), 0, 9),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(event_data.fork.child_pid)),
      BPF_STMT(BPF_MISC | BPF_TAX, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(event_data.fork.child_tgid)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 4, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(event_data.exit.process_pid)),
      BPF_STMT(BPF_MISC | BPF_TAX, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(event_data.exit.process_tgid)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

int csystem_proc_events_open(void) {
  int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  if (fd < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  int room = 4 << 20;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  filter(fd);
  char request[NLMSG_HDRLEN + sizeof(struct cn_msg) + sizeof(enum proc_cn_mcast_op)];
  memset(request, 0, sizeof request);
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  struct cn_msg message = {.id = {.idx = CN_IDX_PROC, .val = CN_VAL_PROC}};
  enum proc_cn_mcast_op operation = PROC_CN_MCAST_LISTEN;
  message.len = sizeof operation;
  memcpy(request, &header, sizeof header);
  memcpy(request + NLMSG_HDRLEN, &message, sizeof message);
  memcpy(request + NLMSG_HDRLEN + sizeof message, &operation, sizeof operation);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
      send(fd, request, sizeof request, 0) != (ssize_t)sizeof request) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

static int translate(const struct proc_event *event, csystem_proc_event *out) {
  memset(out, 0, sizeof *out);
  out->monotonic = (int64_t)event->timestamp_ns;
  switch (event->what) {
    case PROC_EVENT_FORK:
      if (event->event_data.fork.child_pid != event->event_data.fork.child_tgid) return 0;
      out->kind = CSYSTEM_PROC_FORK;
      out->pid = event->event_data.fork.child_tgid;
      out->parent = event->event_data.fork.parent_tgid;
      return 1;
    case PROC_EVENT_EXEC:
      out->kind = CSYSTEM_PROC_EXEC;
      out->pid = event->event_data.exec.process_tgid;
      return 1;
    case PROC_EVENT_EXIT:
      if (event->event_data.exit.process_pid != event->event_data.exit.process_tgid) return 0;
      out->kind = CSYSTEM_PROC_EXIT;
      out->pid = event->event_data.exit.process_tgid;
      out->wait_status = (int)event->event_data.exit.exit_code;
      return 1;
    default:
      return 0;
  }
}

int csystem_proc_events_read(int fd, csystem_proc_event *events, int max) {
  int count = 0;
  while (count < max) {
    char buffer[1024] __attribute__((aligned(8)));
    struct sockaddr_nl from = {0};
    socklen_t from_length = sizeof from;
    ssize_t got = recvfrom(fd, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &from_length);
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return count;
      return count > 0 ? count : -1;
    }
    if (from.nl_pid != 0) continue;  // only the kernel may tell
    const struct nlmsghdr *header = (const struct nlmsghdr *)buffer;
    size_t least = DATA + sizeof(struct proc_event);
    if ((size_t)got < least || header->nlmsg_len < least) continue;
    const struct cn_msg *message = (const struct cn_msg *)(buffer + NLMSG_HDRLEN);
    if (message->id.idx != CN_IDX_PROC || message->id.val != CN_VAL_PROC) continue;
    struct proc_event event;
    memcpy(&event, message->data, sizeof event);
    count += translate(&event, &events[count]);
  }
  return count;
}
