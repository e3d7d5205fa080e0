// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cplatform.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATA = NLMSG_HDRLEN + sizeof(struct cn_msg) };
#define FIELD(name) (DATA + offsetof(struct proc_event, name))

// Lets through the messages that translate() takes. The kernel reports every thread on the machine:
// on a busy one that would be thousands of wake-ups a second for nothing.
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

// Whether the kernel has agreed to report. Its answer is there when the request was sent; in a pid
// namespace of its own a process gets none, and would wait for events that never come.
static int is_agreed(int fd, uint32_t token) {
  char buffer[1024] __attribute__((aligned(8)));
  size_t least = DATA + sizeof(struct proc_event);
  for (;;) {
    ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
    if (got < 0) return 0;
    if ((size_t)got < least) continue;
    const struct cn_msg *message = (const struct cn_msg *)(buffer + NLMSG_HDRLEN);
    struct proc_event event;
    memcpy(&event, message->data, sizeof event);
    // Requests of others are answered to everybody. The kernel puts a count of its own where our
    // sequence was, and adds one to the word for the acknowledgement.
    if (event.what != PROC_EVENT_NONE || message->ack != token + 1) continue;
    return event.event_data.ack.err == 0;
  }
}

// The kernel stamps by the clock of the machine. In a time namespace ours is ahead by so much.
static int64_t ahead;

static int64_t read_ahead(void) {
  FILE *file = fopen("/proc/self/timens_offsets", "re");
  char name[16];
  long long seconds = 0, nanoseconds = 0, found = 0;
  while (file != NULL && fscanf(file, "%15s %lld %lld", name, &seconds, &nanoseconds) == 3) {
    if (strcmp(name, "monotonic") == 0) found = seconds * 1000000000 + nanoseconds;
  }
  if (file != NULL) fclose(file);
  return found;
}

int cplatform_proc_events_open(int room) {
  ahead = read_ahead();
  int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  if (fd < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  uint32_t token = (uint32_t)getpid() << 8 | (uint32_t)(fd & 0xff);
  char request[NLMSG_HDRLEN + sizeof(struct cn_msg) + sizeof(enum proc_cn_mcast_op)];
  memset(request, 0, sizeof request);
  struct nlmsghdr header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE};
  struct cn_msg message = {.id = {.idx = CN_IDX_PROC, .val = CN_VAL_PROC}, .ack = token};
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
  if (!is_agreed(fd, token)) {
    close(fd);
    errno = EOPNOTSUPP;
    return -1;
  }
  filter(fd);
  return fd;
}

static int translate(const struct proc_event *event, cplatform_proc_event *out) {
  memset(out, 0, sizeof *out);
  out->monotonic = (int64_t)event->timestamp_ns + ahead;
  switch (event->what) {
    case PROC_EVENT_FORK:
      if (event->event_data.fork.child_pid != event->event_data.fork.child_tgid) return 0;
      out->kind = CPLATFORM_PROC_FORK;
      out->pid = event->event_data.fork.child_tgid;
      out->parent = event->event_data.fork.parent_tgid;
      return 1;
    case PROC_EVENT_EXEC:
      out->kind = CPLATFORM_PROC_EXEC;
      out->pid = event->event_data.exec.process_tgid;
      return 1;
    case PROC_EVENT_EXIT:
      if (event->event_data.exit.process_pid != event->event_data.exit.process_tgid) return 0;
      out->kind = CPLATFORM_PROC_EXIT;
      out->pid = event->event_data.exit.process_tgid;
      out->wait_status = (int)event->event_data.exit.exit_code;
      return 1;
    default:
      return 0;
  }
}

uint32_t cplatform_proc_events_dropped(int fd) {
  uint32_t facts[SK_MEMINFO_VARS] = {0};
  socklen_t size = sizeof facts;
  if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, facts, &size) != 0) return 0;
  return facts[SK_MEMINFO_DROPS];
}

int cplatform_proc_events_read(int fd, cplatform_proc_event *events, int max) {
  int count = 0;
  while (count < max) {
    char buffer[1024] __attribute__((aligned(8)));
    struct sockaddr_nl from = {0};
    socklen_t from_length = sizeof from;
    ssize_t got = recvfrom(fd, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &from_length);
    if (got < 0) {
      // ENOBUFS says, once, that some had no room: they are counted, and what waits is still there.
      if (errno == EINTR || errno == ENOBUFS) continue;
      return count;
    }
    if (from.nl_pid != 0) continue;  // only the kernel may report
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
