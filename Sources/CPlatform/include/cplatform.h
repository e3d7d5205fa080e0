// SPDX-License-Identifier: Apache-2.0
//
// What Swift cannot call on Linux, one thin function each. Functions return -1
// (or a null pointer) with errno set, as the calls beneath them do, unless said otherwise.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- Clocks (clock.c)

/// The counter behind LT_CLOCK_COUNTER: rdtsc, cntvct_el0.
uint64_t cplatform_counter(void);

/// 1 when the counter runs at a constant rate and does not stop in sleep states.
int cplatform_counter_is_stable(void);

/// The clocks of the host, read together.
typedef struct cplatform_clocks {
  uint64_t tick;      // the counter
  uint64_t width;     // ticks between the reads on both sides: how exact it is
  int64_t monotonic;  // nanoseconds
  int64_t boottime;
  int64_t real;
} cplatform_clocks;

/// The narrowest of several readings.
cplatform_clocks cplatform_read_clocks(void);

/// CLOCK_MONOTONIC in nanoseconds.
int64_t cplatform_monotonic(void);

/// CPU time of the calling thread in nanoseconds.
int64_t cplatform_thread_cpu(void);

// ---- Processes (process.c)

int cplatform_set_subreaper(int on);
int cplatform_set_parent_death_signal(int signal);
void cplatform_name_thread(const char *name);

/// Asks for precedence of the calling thread over ordinary ones; refused without CAP_SYS_NICE.
int cplatform_raise_thread(void);
int cplatform_pidfd_open(pid_t pid);
int cplatform_pidfd_send_signal(int pidfd, int signal);

/// Whether another process has the file of `fd` open or mapped; -1 where that cannot be known.
///
/// `fd` is open for reading and writing. Sees over every namespace, and whatever the other one has
/// closed: a mapping holds its file.
int cplatform_file_is_held(int fd);

/// The wait status of a reaped process by PIDFD_GET_INFO (kernel 6.15); -1 without one.
int cplatform_pidfd_exit_status(int pidfd, int *wait_status);

/// fork(2), which Swift hides; only for a process with a single thread.
pid_t cplatform_fork(void);

// ---- Crashes (crashwords.c)

/// At one of these signals the words are written to standard error, once; then it goes where it would
/// have gone. At most sixteen.
void cplatform_crash_listen(const int *signals, int count);

/// What is written, up to 4,096 bytes; from one thread.
void cplatform_crash_words(const char *text);

/// The signals go where they went before.
void cplatform_crash_stop(void);

typedef enum cplatform_change {
  CPLATFORM_NOTHING = 0,
  CPLATFORM_EXITED = 1,
  CPLATFORM_SIGNALED = 2,
  CPLATFORM_STOPPED = 3,
  CPLATFORM_CONTINUED = 4,
} cplatform_change;

typedef struct cplatform_wait_result {
  pid_t pid;
  int change;  // cplatform_change
  int value;   // exit code or signal
} cplatform_wait_result;

/// waitid(2) without blocking unless `block`.
///
/// pid 0 is any child; `stops` adds stops and continues; `keep` leaves the status to be waited for again.
int cplatform_wait(pid_t pid, int stops, int keep, int block, cplatform_wait_result *result);

/// Splits a wait status as waitpid(2) gives it.
cplatform_wait_result cplatform_split_status(pid_t pid, int wait_status);

// ---- Starting a process (spawn.c)

typedef enum cplatform_spawn_stage {
  CPLATFORM_SPAWN_FORK = 1,
  CPLATFORM_SPAWN_GROUP = 2,
  CPLATFORM_SPAWN_DIRECTORY = 3,
  CPLATFORM_SPAWN_DESCRIPTORS = 4,
  CPLATFORM_SPAWN_EXEC = 5,
  CPLATFORM_SPAWN_CGROUP = 6,
} cplatform_spawn_stage;

typedef struct cplatform_spawn_request {
  char *const *arguments;    // null-terminated; the first is searched in PATH
  char *const *environment;  // null-terminated
  const char *directory;     // null: inherited
  int group;                 // process group: -1 inherited, 0 new, else that one
  int parent_death_signal;   // 0: none. Fires when the calling *thread* ends
  int standard[3];           // stdin, stdout, stderr; -1 inherited
  int cgroup;                // 0: inherited; else cgroup.procs of another, open for writing
} cplatform_spawn_request;

/// Starts a process; the handlers and the signal mask of the child are the default ones.
///
/// Returns its pid once the new program runs, or -1 with errno and the stage that failed.
pid_t cplatform_spawn(const cplatform_spawn_request *request, int *failed_stage);

// ---- The guardian (guardian.c)

/// Forks a tiny process that outlives the caller by a moment: when the caller's end of the pipe
/// closes, in whatever way the caller ended, it kills the groups that were named to it and every
/// process whose initial environment holds `marker` ("NAME=value"), until none is left.
pid_t cplatform_guardian_start(const char *marker, int *pipe_fd);

/// Names a process group to the guardian.
int cplatform_guardian_watch(int pipe_fd, pid_t group);

/// Names a cgroup to the guardian, which empties and removes it with those directly below it.
int cplatform_guardian_watch_cgroup(int pipe_fd, const char *path);

/// Ends the guardian without killing anybody.
int cplatform_guardian_dismiss(int pipe_fd);

/// Kills every process with `marker` in its initial environment; the number found.
int cplatform_kill_marked(const char *marker);

/// Kills everything in a cgroup and below it, and removes it with those directly below it.
///
/// -1 where it still stands after a second: a process in it cannot be killed.
int cplatform_cgroup_remove(const char *path);

// ---- A disk that can lose power (disk.c)

typedef enum cplatform_disk_stage {
  CPLATFORM_DISK_LOOP = 1,
  CPLATFORM_DISK_MOUNT = 2,
} cplatform_disk_stage;

/// Gives the calling thread, and what it starts from now on, mounts that others do not see.
int cplatform_private_mounts(void);

/// Mounts the ext4 in the open file, over a loop device that is free again with the mount.
int cplatform_disk_mount(int image, const char *directory, int *failed_stage);

/// Takes the power away: data that are not on the device are gone, and every access fails.
int cplatform_disk_cut(const char *directory);

/// Unmounts; by force also where files are in use.
int cplatform_disk_unmount(const char *directory, int by_force);

// ---- Kernel process events (netlink.c)

typedef enum cplatform_proc_kind {
  CPLATFORM_PROC_FORK = 1,
  CPLATFORM_PROC_EXEC = 2,
  CPLATFORM_PROC_EXIT = 3,
} cplatform_proc_kind;

typedef struct cplatform_proc_event {
  int kind;  // cplatform_proc_kind
  pid_t pid;
  pid_t parent;        // of a fork
  int wait_status;     // of an exit
  int64_t monotonic;   // when, on CLOCK_MONOTONIC
} cplatform_proc_event;

/// A socket that reports every fork, exec and exit.
///
/// Needs the first namespaces, and before Linux 6.6 CAP_NET_ADMIN; -1 where the kernel does not
/// report.
///
/// `room` bytes of unread messages are kept; those beyond are dropped, and counted.
int cplatform_proc_events_open(int room);

/// Up to `max` events; 0 when none waits.
int cplatform_proc_events_read(int fd, cplatform_proc_event *events, int max);

/// How many events had no room since the socket is there.
uint32_t cplatform_proc_events_dropped(int fd);

// ---- Files (files.c)

/// open(2) with O_NONBLOCK in `flags`, but for another program's lease on a plain file, which is waited for.
///
/// What opens then is the file that stood at `path` when it was asked for, whatever stands there by now.
int cplatform_open(const char *path, int flags, unsigned mode);
/// An exclusive lock of the open file, without waiting.
int cplatform_lock(int fd);

/// The number of a device, as stat(2) gives it.
uint64_t cplatform_device(unsigned major, unsigned minor);

/// Lets two files change places, in one step; fails where the file system cannot.
int cplatform_exchange(const char *one, const char *other);

/// An inotify descriptor that reports names that appear in `directory`.
int cplatform_watch_directory(const char *directory);

/// Removes a directory with everything in it; follows no links and stays on its file system.
void cplatform_remove_tree(const char *directory);

// Copies the directory `from` with all that is in it to `to`, which must not be there. -1 where
// something could not be copied; the rest is there.
int cplatform_copy_tree(const char *from, const char *to);

/// Drops what the descriptor has to report.
void cplatform_drain(int fd);

/// Blocks SIGBUS-proof reading of [base, base + bytes): pages that a hostile process cut off the
/// file read as zeros instead of ending the recorder. Returns a slot.
int cplatform_guard_mapping(void *base, size_t bytes);

/// 1 when a page of the slot was missing.
int cplatform_guard_faulted(int slot);

void cplatform_unguard_mapping(int slot);


/// A signalfd for the given signals, which are blocked in the calling thread.
int cplatform_signal_fd(const int *signals, int count);

/// The calling thread takes these signals again.
void cplatform_signal_unblock(const int *signals, int count);

typedef struct cplatform_signal {
  int number;
  int from_user;  // sent by kill(2) rather than by the terminal or the kernel
  pid_t sender;
} cplatform_signal;

/// The next pending signal; 0 when none.
int cplatform_signal_read(int fd, cplatform_signal *signal);

/// An eventfd, not blocking; and its two uses.
int cplatform_event_fd(void);
void cplatform_event_post(int fd);

/// An epoll descriptor and its uses; `tag` comes back in the ready list.
int cplatform_poll_make(void);
int cplatform_poll_add(int poll_fd, int fd, uint64_t tag);
int cplatform_poll_remove(int poll_fd, int fd);

/// Waits until something is ready or `nanoseconds` are over; the number of tags.
int cplatform_poll_wait(int poll_fd, uint64_t *tags, int max, int64_t nanoseconds);

/// A process that could not join, and why: one of the reasons in CLifetrace's layout.
typedef struct {
  int32_t pid;
  uint32_t user;
  uint8_t reason;
} cplatform_absence;

/// Listens to those that cannot join under the abstract name; -1 where that is not possible.
int cplatform_absence_listen(const char *name);

/// The next that has reported; 0 when there is none.
int cplatform_absence_read(int fd, cplatform_absence *out);

/// 1 where the file system of `path` is memory (tmpfs), 0 where it is another; -1 where it is unknown.
int cplatform_is_in_memory(const char *path);

/// Backs the first `bytes` of a file with real blocks.
int cplatform_reserve(int fd, int64_t bytes);

// 1 where the file at `path` has the extended attribute, else 0.
int cplatform_has_attribute(const char *path, const char *name);

/// The name of a call of the system by its number here, of those that wait; NULL for any other.
const char *cplatform_call_name(long number);

/// 1 where the first argument of the call is an open file, else 0.
int cplatform_call_has_file(long number);

/// Reads memory of another process, as far as it may be read; the bytes that were.
size_t cplatform_read_memory(pid_t pid, uint64_t from, void *into, size_t bytes);

// ---- Source lines (lines.c)

/// What stands at an address of the program or library at `path`, as its file counts addresses.
///
/// Bit 0 of the answer: `file` and `line` by its line table; bit 1: the `function` by its symbols. The
/// whole line table is read, some milliseconds a megabyte. Nothing is known (0) of a file that is no
/// 64-bit ELF of this byte order, and no line where its tables are compressed or stand in another file.
int cplatform_source_line(const char *path, uint64_t address, char *file, size_t file_room,
                          uint32_t *line, char *function, size_t function_room);

/// The symbol of the function at an offset in the file of the program at `path`; 1 where there is one.
int cplatform_function_at(const char *path, uint64_t offset, char *name, size_t room);
