// SPDX-License-Identifier: Apache-2.0
//
// The one list of what records say: kinds, what they carry, and the numbers for both. They are
// part of the format: a number is never reused, and a reader keeps the ones it does not know.
//
// Scripts/kinds.sh writes from this file what the SDK, the tools and the format page say of it.
// A kind is told in the lines before it:
//
//   // dotted.name .. the.kind.that.ends.it (family): What it says.
//   //   identity name: type - what ties it to other events
//   //   name: type - an argument; name?: type - one that may be missing, with those behind it
//
// Types are those of lt_type in lower case, and: uint, a number that is never negative; log,
// family and clock, a number of the vocabulary below. A duration is in nanoseconds.

#pragma once

#include <stdint.h>

enum lt_kind {
  // process.start (process): A process came to life; who, why and after whom.
  //   identity previous: hex - the lower half of the writer id of the incarnation before; 0 for none
  //   reason: name - why it was launched, such as `icon`, `push`, `prewarm`
  //   app: name - its bundle id or, without one, the executable's name
  //   version?: name - the version of the app, as it gives it
  LT_KIND_PROCESS_START = 1,
  // process.config (process): A configuration key of the app: plist keys, modes, linked SDK, scenes.
  //   identity key: name - which key
  //   value: name - what it is set to
  LT_KIND_PROCESS_CONFIG = 2,
  // process.exit (process): The process ended; the cause, its code and what tells so.
  //   cause: name - such as `exit`, `signal`, `watchdog`, `jetsam`
  //   code: hex - a termination code (0x8badf00d), an exit status or a signal, by the cause
  //   evidence: name - how the end is known
  //   main?: name - what the main thread did when the system killed it, such as `asleep in fsync`
  LT_KIND_PROCESS_EXIT = 3,
  // process.seen (process): A process without the SDK ran and ended: one event for its whole life.
  //   identity pid: uint - its number
  //   parent: uint - that of the process that started it
  //   command: name - its program and arguments; empty where it was gone before they were read
  //   lasted: duration - from its first sight to its end
  //   status: uint - its exit code, 128 + N for signal N, and 256 where nobody knows
  LT_KIND_PROCESS_SEEN = 4,
  // state.transition (state): The app went from one state to another.
  //   from: state - the state before
  //   to: state - the state after
  //   cause: name - what led to it
  //   cpu?: duration - processor time of the process so far
  LT_KIND_TRANSITION = 10,
  // state.suspend (state): The process was stopped; stamped after the stop was confirmed.
  //   evidence: name - how the stop is known
  LT_KIND_SUSPEND = 11,
  // state.resume (state): The process will run again; stamped before the continue is sent.
  //   reason: name - what it is wanted for
  //   evidence: name - how the continue is known
  LT_KIND_RESUME = 12,
  // state.purge (state): The system took the memory of the app, without notice.
  //   cause: name - what the memory was wanted for
  //   evidence: name - how the purge is known
  LT_KIND_PURGE = 13,
  // callback.begin .. callback.end (callback): A delegate method was entered.
  //   identity id: uint - ties the end to it
  LT_KIND_CALLBACK_BEGIN = 20,
  // callback.end (callback): A delegate method returned.
  //   identity id: uint - that of the begin
  //   returned?: int - what it returned
  //   cpu?: duration - processor time that its thread spent in it
  LT_KIND_CALLBACK_END = 21,
  // turn.begin .. turn.end (callback): The main run loop took an item of work.
  //   identity id: uint - ties the end to it
  LT_KIND_TURN_BEGIN = 22,
  // turn.end (callback): The main run loop is done with the item.
  //   identity id: uint - that of the begin
  LT_KIND_TURN_END = 23,
  // notification.posted (notification): A system change was announced to the app.
  //   identity type: name - what changed, such as `locale`
  //   key: name - which of those of the type
  //   value: name - what it is now
  //   origin: name - where the change came from
  LT_KIND_NOTIFICATION_POSTED = 30,
  // notification.coalesced (notification): Several posts became one pending value while the app was suspended.
  //   identity type: name - what changed
  //   key: name - which of those of the type
  //   value: name - what it is now
  //   posts: uint - how many posts it stands for
  LT_KIND_NOTIFICATION_COALESCED = 31,
  // notification.delivered (notification): The app was handed the notification.
  //   identity type: name - what changed
  //   key: name - which of those of the type
  //   value: name - what it is now
  LT_KIND_NOTIFICATION_DELIVERED = 32,
  // notification.handled (notification): An observer in the app dealt with the notification.
  //   identity type: name - what changed
  //   key: name - which of those of the type
  //   took: duration - from the delivery on
  LT_KIND_NOTIFICATION_HANDLED = 33,
  // notification.dropped (notification): A notification that nobody will be told of.
  //   identity type: name - what changed
  //   key: name - which of those of the type
  //   value: name - what nobody was told
  //   why: name - what ended the app that it waited for, or why it never waits
  LT_KIND_NOTIFICATION_DROPPED = 34,
  // wake.begin (wake): The system woke or launched the app in the background.
  //   identity id: uint - ties the completion to it
  //   reason: name - such as `push`, `fetch`, `location`
  //   budget?: duration - what the app may take
  LT_KIND_WAKE_BEGIN = 40,
  // wake.completion (wake): The app called the completion handler of a wake.
  //   identity id: uint - that of the begin
  //   result: name - what the app told the system
  LT_KIND_WAKE_COMPLETION = 41,
  // wake.reported (wake): The app reported the incoming call for which it was woken.
  //   identity id: uint - that of the begin
  //   call: name - what identifies the call; may be empty
  LT_KIND_WAKE_REPORTED = 42,
  // work.begin .. work.end (work): A span of work began.
  //   identity id: uint - ties the end to it
  //   kind: work - what the work does
  //   queue?: name - the queue or the executor that it runs on
  //   async?: bool - whether it suspends: its thread does other work between
  LT_KIND_WORK_BEGIN = 50,
  // work.end (work): A span of work ended, perhaps on another thread.
  //   identity id: uint - that of the begin
  LT_KIND_WORK_END = 51,
  // wait.begin .. wait.end (work): A thread began to wait for somebody.
  //   identity id: uint - ties the end to it
  //   on: name - who or what it waits for
  LT_KIND_WAIT_BEGIN = 52,
  // wait.end (work): The wait is over.
  //   identity id: uint - that of the begin
  LT_KIND_WAIT_END = 53,
  // task.begin .. task.end (task): A background task was granted, or refused: without id and time.
  //   identity id: uint - ties expiry and end to it; 0 with 0 granted where it was refused
  //   name: name - the app's own name for it
  //   granted?: duration - the time that it has in the background
  //   handler?: bool - whether it has an expiration handler
  LT_KIND_TASK_BEGIN = 60,
  // task.expire (task): The expiration handler of a background task was called.
  //   identity id: uint - that of the begin
  LT_KIND_TASK_EXPIRE = 61,
  // task.end (task): A background task was ended by the app.
  //   identity id: uint - that of the begin
  //   cpu?: duration - processor time of the process so far
  LT_KIND_TASK_END = 62,
  // deadline.open .. deadline.close (deadline): A time budget began to run.
  //   identity id: uint - ties the close to it
  //   what: name - what must be done
  //   budget: duration - the time for it
  //   clock: clock - the clock that the budget is of
  LT_KIND_DEADLINE_OPEN = 65,
  // deadline.close (deadline): What the budget was for is done.
  //   identity id: uint - that of the open
  LT_KIND_DEADLINE_CLOSE = 66,
  // data.dirty (data): A new version of an object exists in memory only.
  //   identity object: name - which object
  //   version: uint - counts up from 1
  //   bytes: bytes - the size of the object
  //   hash: hex - of its content; 0 for none
  LT_KIND_DATA_DIRTY = 70,
  // data.flushing (data): A save of a version began.
  //   identity object: name - which object
  //   version: uint - the one that is saved
  //   bytes: bytes - how much is written
  //   unread?: uint - the version that it replaces by other bytes, where this process has neither read nor written that
  //   foreign?: bytes - how much it replaces that no version stands for, written by another program behind the last look
  LT_KIND_DATA_FLUSHING = 71,
  // data.durable (data): A version has reached a durability level.
  //   identity object: name - which object
  //   version: uint - the one that was saved
  //   level: level - what it survives now
  //   bytes: bytes - the size of the object
  //   hash: hex - of its content; 0 for none
  LT_KIND_DATA_DURABLE = 72,
  // data.restored (data): A version was read back from the object's own file.
  //   identity object: name - which object
  //   version: uint - the one that was found; 0 for nothing
  //   bytes: bytes - the size of the object
  //   hash: hex - of its content; 0 for none
  LT_KIND_DATA_RESTORED = 73,
  // data.failed (data): A save failed.
  //   identity object: name - which object
  //   version: uint - the one that was not saved
  //   errno: int - the error of the system; 0 for none
  //   why: name - what failed
  //   aside?: bool - it was no save of the object's own file
  LT_KIND_DATA_FAILED = 74,
  // data.discarded (data): The app gave up unsaved versions on purpose.
  //   identity object: name - which object
  //   version: uint - the last that is given up
  LT_KIND_DATA_DISCARDED = 75,
  // data.unchanged (data): A version needed no save: its bytes are those that stood in the file.
  //   identity object: name - which object
  //   version: uint - the one that was compared
  //   level: level - what it survives
  //   bytes: bytes - the size of the object
  //   hash: hex - of its content; 0 for none
  LT_KIND_DATA_UNCHANGED = 76,
  // data.copied (data): A version was written to another file than the object's own.
  //   identity object: name - which object
  //   version: uint - the one that was written
  //   level: level - what the copy survives
  //   bytes: bytes - the size of the object
  //   hash: hex - of its content; 0 for none
  LT_KIND_DATA_COPIED = 77,
  // data.read (data): Another file than the object's own was read.
  //   identity object: name - which object
  //   version: uint - the one that was found; 0 for nothing
  //   bytes: bytes - the size of the object
  //   hash: hex - of its content; 0 for none
  LT_KIND_DATA_READ = 78,
  // resource.acquire .. resource.release (resource): A lock, file, timer, socket … is held or open from here.
  //   identity name: name - which one, such as a path
  //   class: resource - what kind of thing it is
  //   attribute?: name - what matters of it, such as `shared`
  //   id?: uint - tells those of one name apart
  LT_KIND_RESOURCE_ACQUIRE = 80,
  // resource.release (resource): The resource is given back.
  //   identity name: name - which one
  //   class: resource - what kind of thing it is
  //   attribute?: name - as when it was acquired
  //   id?: uint - tells those of one name apart
  LT_KIND_RESOURCE_RELEASE = 81,
  // resource.use (resource): A timer fired, a cache was read, a frame was drawn.
  //   identity name: name - which one
  //   class: resource - what kind of thing it is
  //   attribute?: name - what matters of it
  //   value?: int - a number that says more
  LT_KIND_RESOURCE_USE = 82,
  // memory.sample (resource): The memory footprint at this time.
  //   footprint: bytes - of the whole process
  LT_KIND_MEMORY_SAMPLE = 85,
  // cpu.sample (resource): CPU time used over a span of wall time.
  //   cpu: duration - processor time of the process in the span
  //   wall: duration - the length of the span, which ends here
  LT_KIND_CPU_SAMPLE = 86,
  // device (device): Something happened to the device: lock, orientation, battery, reboot and so on.
  //   identity what: name - `lock`, `unlock`, `orientation`, `battery`, `memory-warning`, `reboot`, `disk`, `call` …
  //   value?: name - what it is now
  //   number?: int - the same as a number; of `lock` the nanoseconds for which it has stood
  LT_KIND_DEVICE = 90,
  // touch (device): The user touched a view.
  //   view: name - which one
  LT_KIND_TOUCH = 91,
  // message.send (message): A message left for another process.
  //   identity flow: hex - the same at the sender and the receiver
  //   peer: name - the receiver
  //   bytes: bytes - the size of the message
  //   hlc: hex - the sender's hybrid logical clock
  //   count: uint - numbers the messages of a flow
  LT_KIND_MESSAGE_SEND = 100,
  // message.receive (message): A message arrived from another process.
  //   identity flow: hex - the same at the sender and the receiver
  //   peer: name - the sender
  //   bytes: bytes - the size of the message
  //   hlc: hex - the receiver's hybrid logical clock
  //   count: uint - numbers the messages of a flow
  LT_KIND_MESSAGE_RECEIVE = 101,
  // message.trace (message): The message of a flow belongs to a trace: a request and all that it leads to.
  //   identity flow: hex - that of the message
  //   high: hex - the first half of the trace id of W3C Trace Context
  //   low: hex - the second half
  //   parent: hex - the flow of the message that led to it; 0 for none
  LT_KIND_MESSAGE_TRACE = 102,
  // test.begin .. test.end (test): A test of a harness began.
  //   identity id: uint - ties the end to it
  //   suite: name - the suite; empty for none
  //   name: name - the test
  LT_KIND_TEST_BEGIN = 110,
  // test.end (test): A test of a harness ended.
  //   identity id: uint - that of the begin
  //   outcome: name - such as `passed`, `failed`
  LT_KIND_TEST_END = 111,
  // meta.clock (meta): The clocks of the host, read together.
  //   tick: hex - the counter that the apps read
  //   monotonic: duration - CLOCK_MONOTONIC
  //   boottime: duration - CLOCK_BOOTTIME, which goes on while the machine sleeps
  //   real: duration - CLOCK_REALTIME, since 1970
  LT_KIND_CLOCK = 120,
  // meta.loss (meta): Events are missing: which family, how many, since when.
  //   family: family - the one whose ledger is not complete
  //   count: uint - how many; 0 where that is not known
  //   from?: duration - the time of the first, on the clock of the stream
  //   why?: name - what became of them
  LT_KIND_LOSS = 121,
  // mark (meta): A place named by the app or the harness.
  LT_KIND_MARK = 122,
  // log (meta): A line of text.
  //   text: name - the line
  //   level: log - how grave it is
  LT_KIND_LOG = 123,
  // meta.end (meta): The recording ended well; without it, it was cut or still runs.
  LT_KIND_END = 124,
  // meta.scenario (meta): The scenario that is played, so that it can be played again.
  //   identity file: name - the file it was read from
  //   text: name - what such a file says, each app with its command; empty above 64 KiB
  //   bytes: uint - how long that is; a text of another length was left out or redacted
  //   folder: name - where it was played; empty for virtual time
  //   how?: name - a line each: `program`, size, CRC32C, path; `observe`; `capture-output`
  LT_KIND_SCENARIO = 125,
};

// The family of a kind: losses are counted by family, and a loss taints only the ledger of its own
// family.
enum lt_family {
  LT_FAMILY_PROCESS = 0,
  LT_FAMILY_STATE = 1,
  LT_FAMILY_CALLBACK = 2,
  LT_FAMILY_NOTIFICATION = 3,
  LT_FAMILY_WAKE = 4,
  LT_FAMILY_WORK = 5,
  LT_FAMILY_TASK = 6,
  LT_FAMILY_DEADLINE = 7,
  LT_FAMILY_DATA = 8,
  LT_FAMILY_RESOURCE = 9,
  LT_FAMILY_DEVICE = 10,
  LT_FAMILY_MESSAGE = 11,
  LT_FAMILY_TEST = 12,
  LT_FAMILY_META = 13,
  // A kind that this version does not know.
  LT_FAMILY_UNKNOWN = 14,
};

// The state of an app, as the operating system sees it.
//
// The five states are those of the iPhone programming guides; `unknown` is the trace's own: before
// the first evidence, and after a loss in the state family.
enum lt_app_state {
  LT_STATE_UNKNOWN = 0,
  LT_STATE_NOT_RUNNING = 1,
  LT_STATE_INACTIVE = 2,
  LT_STATE_ACTIVE = 3,
  LT_STATE_BACKGROUND = 4,
  LT_STATE_SUSPENDED = 5,
};

// What a span of work does.
enum lt_work_kind {
  LT_WORK_OTHER = 0,
  LT_WORK_UI = 1,
  LT_WORK_NETWORK = 2,
  LT_WORK_FILE = 3,
  LT_WORK_DATABASE = 4,
  LT_WORK_COMPUTE = 5,
  LT_WORK_GL = 6,
};

// What a stored version survives.
enum lt_level {
  // In memory: a purge loses it.
  LT_LEVEL_PROCESS = 0,
  // Written: survives a purge, not a power cut.
  LT_LEVEL_KERNEL = 1,
  // Synced: survives both.
  LT_LEVEL_DISK = 2,
  // Acknowledged by a server.
  LT_LEVEL_REMOTE = 3,
};

// How grave a line of a log is.
enum lt_log_level {
  LT_LOG_DEBUG = 0,
  LT_LOG_INFO = 1,
  LT_LOG_NOTICE = 2,
  LT_LOG_ERROR = 3,
  LT_LOG_FAULT = 4,
};

// What a resource event is about.
enum lt_resource_class {
  LT_RESOURCE_OTHER = 0,
  // A file or database lock; the attribute is `shared` or `private` by its directory.
  LT_RESOURCE_LOCK = 1,
  // An open file; the attribute is its data protection class.
  LT_RESOURCE_FILE = 2,
  LT_RESOURCE_TIMER = 3,
  LT_RESOURCE_SOCKET = 4,
  // A metadata query.
  LT_RESOURCE_QUERY = 5,
  LT_RESOURCE_MEDIA = 6,
  LT_RESOURCE_GL = 7,
  LT_RESOURCE_TEMPORARY_FILE = 8,
  LT_RESOURCE_CACHE = 9,
  // A view shown; the attribute is `sensitive` where it is.
  LT_RESOURCE_VIEW = 10,
  LT_RESOURCE_ALERT = 11,
  // The deferred write of a debounced save.
  LT_RESOURCE_PENDING_SAVE = 12,
  // Work that a queue is to run later; the name is the queue's. Used when it begins to run, given
  // back without that when it was cancelled.
  LT_RESOURCE_DELAYED_WORK = 13,
};

// What kind of process this is; life-cycle rules apply to apps.
enum lt_role {
  LT_ROLE_APP = 0,
  LT_ROLE_EXTENSION = 1,
  LT_ROLE_DAEMON = 2,
  LT_ROLE_SERVER = 3,
  LT_ROLE_HARNESS = 4,
  // Seen by the recorder only: it does not link the SDK.
  LT_ROLE_BYSTANDER = 5,
};

// The clock of a time budget.
enum lt_budget_clock {
  LT_BUDGET_WALL = 0,
  LT_BUDGET_CPU = 1,
};

// How the 64 bits of an argument or an identity are to be read.
enum lt_type {
  // A signed integer.
  LT_TYPE_INT = 0,
  // An unsigned integer, printed in hexadecimal (hashes, codes, flow ids).
  LT_TYPE_HEX = 1,
  // The number of an interned string.
  LT_TYPE_NAME = 2,
  // Nanoseconds.
  LT_TYPE_DURATION = 3,
  // A size in bytes.
  LT_TYPE_BYTES = 4,
  // 0 or 1.
  LT_TYPE_BOOL = 5,
  // A state of an app.
  LT_TYPE_STATE = 6,
  // What a span of work does.
  LT_TYPE_WORK = 7,
  // A durability level.
  LT_TYPE_LEVEL = 8,
  // The class of a resource.
  LT_TYPE_RESOURCE = 9,
  // The bits of a floating-point number.
  LT_TYPE_DOUBLE = 10,
  // How grave a line of a log is.
  LT_TYPE_LOG = 11,
};
// The first so many may be types of labels.
#define LT_TYPES 11
