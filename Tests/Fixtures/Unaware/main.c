// SPDX-License-Identifier: Apache-2.0
//
// An app that knows nothing of the SDK: it takes part in scenarios by itself, as PROTOCOL.md tells, and
// keeps its data in files by the means of the system. Told words:
//
//     write: TEXT      puts TEXT into notes.txt, and does not sync it
//     save: TEXT       the same, and syncs it
//     replace: TEXT    the same by a temporary file that takes its place, without any sync
//     exchange: TEXT   by one that is synced before, in a folder that is synced behind
//     aside: TEXT      by one that is synced, once the old one has been moved out of its way
//     print: TEXT      by stdio, and does not sync it
//     overfill: TEXT   by a write that fails, as on a full disk, behind the file was emptied
//     open: FLAGS      opens notes.txt to read it ("read") or to write it anew ("write"), no more
//     half: TEXT       begins to write notes.txt anew with TEXT, and does not close it
//     close: WHAT, sync: WHAT  closes, or syncs, what "half" has begun
//     lock: PATH       takes a lock (flock) on the file
//     unlock: PATH     gives it back
//     wait: PATH       waits on main for a lock that a child holds for 0.4 s
//     threads: COUNT   as many threads write to a file of their own each, and sync it

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int host = -1;
static int locked = -1;

static void tell(const char *line) {
  size_t count = strlen(line);
  if (send(host, line, count, MSG_NOSIGNAL) != (ssize_t)count) exit(1);
}

// The value of a member that is a plain string or a number, as the host writes it: no escapes.
static const char *member(const char *line, const char *name, char value[256]) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(line, key);
  value[0] = 0;
  if (at == NULL) return value;
  at += strlen(key);
  int quoted = *at == '"';
  at += quoted;
  size_t count = strcspn(at, quoted ? "\"" : ",}");
  snprintf(value, 256, "%.*s", (int)(count < 255 ? count : 255), at);
  return value;
}

static void write_file(const char *name, const char *text, int synced) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, text, strlen(text)) < 0) exit(2);
  if (synced && fsync(file) != 0) exit(2);
  close(file);
}

static void exchange(const char *text, int synced) {
  write_file("notes.txt.new", text, synced);
  if (rename("notes.txt.new", "notes.txt") != 0) exit(2);
  int folder = synced ? open(".", O_RDONLY | O_DIRECTORY) : -1;
  if (synced && fsync(folder) != 0) exit(2);
  if (synced) close(folder);
}

// Between the two renames there is nothing.
static void put_aside(const char *text) {
  write_file("notes.txt.new", text, 1);
  rename("notes.txt", "notes.old");
  if (rename("notes.txt.new", "notes.txt") != 0) exit(2);
}

static void print_file(const char *text) {
  FILE *file = fopen("notes.txt", "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
}

static void overfill_file(const char *text) {
  struct rlimit limit, none;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  none = limit;
  none.rlim_cur = 0;
  int file = open("notes.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  setrlimit(RLIMIT_FSIZE, &none);
  if (file < 0 || write(file, text, strlen(text)) >= 0) exit(2);
  setrlimit(RLIMIT_FSIZE, &limit);
  close(file);
}

static void open_file(const char *how) {
  int flags = strcmp(how, "read") == 0 ? O_RDONLY : O_WRONLY | O_TRUNC;
  if (open("notes.txt", flags) < 0) exit(2);
}

static int begun = -1;

static void begin_file(const char *text) {
  begun = open("notes.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (begun < 0 || write(begun, text, strlen(text)) < 0) exit(2);
}

static void wait_for(const char *path) {
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) exit(2);
  pid_t child = fork();
  if (child == 0) {
    int file = open(path, O_RDWR | O_CREAT, 0600);
    flock(file, LOCK_EX);
    if (write(ends[1], &byte, 1) != 1) _exit(2);
    usleep(400000);
    _exit(0);
  }
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (read(ends[0], &byte, 1) != 1) exit(2);
  flock(file, LOCK_EX);
  close(file);
  close(ends[0]);
  close(ends[1]);
  waitpid(child, NULL, 0);
}

static void *work(void *number) {
  char name[32];
  snprintf(name, sizeof name, "thread-%d.txt", *(int *)number);
  for (int round = 0; round < 20; round++) write_file(name, "text", 1);
  return NULL;
}

static void run_threads(int count) {
  pthread_t threads[16];
  int numbers[16];
  for (int at = 0; at < count && at < 16; at++) {
    numbers[at] = at;
    pthread_create(&threads[at], NULL, work, &numbers[at]);
  }
  for (int at = 0; at < count && at < 16; at++) pthread_join(threads[at], NULL);
}

static void hear_word(const char *word, const char *value) {
  if (strcmp(word, "write") == 0) write_file("notes.txt", value, 0);
  if (strcmp(word, "save") == 0) write_file("notes.txt", value, 1);
  if (strcmp(word, "replace") == 0) exchange(value, 0);
  if (strcmp(word, "exchange") == 0) exchange(value, 1);
  if (strcmp(word, "aside") == 0) put_aside(value);
  if (strcmp(word, "print") == 0) print_file(value);
  if (strcmp(word, "overfill") == 0) overfill_file(value);
  if (strcmp(word, "open") == 0) open_file(value);
  if (strcmp(word, "half") == 0) begin_file(value);
  if (strcmp(word, "close") == 0) close(begun);
  if (strcmp(word, "sync") == 0 && fsync(begun) != 0) exit(2);
  if (strcmp(word, "wait") == 0) wait_for(value);
  if (strcmp(word, "threads") == 0) run_threads(atoi(value));
  if (strcmp(word, "lock") == 0) {
    locked = open(value, O_RDWR | O_CREAT, 0600);
    flock(locked, LOCK_EX);
  }
  if (strcmp(word, "unlock") == 0) flock(locked, LOCK_UN);
}

static void hear(const char *line) {
  char event[256], first[256], second[256], number[256], answer[300];
  member(line, "event", event);
  if (strcmp(event, "tell") == 0) {
    hear_word(member(line, "word", first), member(line, "value", second));
  }
  member(line, "n", number);
  snprintf(answer, sizeof answer, "{\"op\":\"done\",\"n\":%s}\n", number);
  if (strcmp(number, "0") != 0) tell(answer);
}

int main(void) {
  const char *path = getenv("LIFETRACE_HOST"), *data = getenv("LIFETRACE_DATA");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path == NULL || strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "Unaware takes part in a scenario: lifetrace record --scenario FILE -- Unaware\n");
    return 64;
  }
  if (data != NULL && chdir(data) != 0) return 2;
  strcpy(address.sun_path, path);
  host = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(host, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(path);
    return 1;
  }
  char hello[128];
  snprintf(hello, sizeof hello, "{\"op\":\"hello\",\"v\":1,\"app\":\"unaware\",\"pid\":%d,\"config\":{}}\n",
           (int)getpid());
  tell(hello);
  FILE *lines = fdopen(host, "r");
  char *line = NULL;
  size_t size = 0;
  while (lines != NULL && getline(&line, &size, lines) > 0) {
    if (strstr(line, "\"op\":\"event\"") != NULL) hear(line);
  }
  return 0;
}
