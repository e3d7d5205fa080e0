// SPDX-License-Identifier: Apache-2.0
internal import CLifetrace
import Lifetrace

/// What the runtime writes into the trace on behalf of the app.
///
/// Thin: an event each, through the same emit path that the app's own calls take.
/// Sites of callbacks are named after the UIKit method; they have no source line, because the
/// caller is the system. What the app calls has the line of its call.
enum AppTrace {
  /// A line of the app that calls the runtime; none while no recorder listens.
  static func site(_ file: StaticString, _ line: UInt32) -> Lifetrace.Site {
    lt_enabled() ? Lifetrace.Site("", file: file, line: line) : .none
  }

  /// The same, under a name that is known only at run time.
  static func site(named name: String, _ file: StaticString, _ line: UInt32) -> Lifetrace.Site {
    lt_enabled() ? Lifetrace.Site(named: name, file: file, line: line) : .none
  }

  private static func name(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        UInt64(lt_name_bytes($0.baseAddress, $0.count))
      }
    }
  }

  private static func emit(
    _ kind: lt_kind,
    site: UInt32 = 0,
    identity: UInt64 = 0,
    _ count: UInt8 = 0,
    _ a: UInt64 = 0,
    _ b: UInt64 = 0,
    _ c: UInt64 = 0,
    _ d: UInt64 = 0
  ) {
    lt_emit(UInt8(kind.rawValue), site, identity, count, a, b, c, d)
  }

  /// A turn of the main run loop.
  static func turn<Result>(_ name: String, id: UInt64, _ body: () -> Result) -> Result {
    guard lt_enabled() else { return body() }
    let site = lt_site(name, "", 0, "")
    emit(LT_KIND_TURN_BEGIN, site: site, identity: id)
    defer { emit(LT_KIND_TURN_END, site: site, identity: id) }
    return body()
  }

  /// A delegate method without an answer.
  static func callback(_ name: String, id: UInt64, _ body: () -> Void) {
    guard lt_enabled() else { return body() }
    let site = lt_site(name, "", 0, "")
    emit(LT_KIND_CALLBACK_BEGIN, site: site, identity: id)
    let began = lt_thread_cpu_ns()
    body()
    emit(LT_KIND_CALLBACK_END, site: site, identity: id, 2, 0, lt_thread_cpu_ns() &- began)
  }

  /// A delegate method that answers yes or no.
  static func question(_ name: String, id: UInt64, _ body: () -> Bool) -> Bool {
    guard lt_enabled() else { return body() }
    let site = lt_site(name, "", 0, "")
    emit(LT_KIND_CALLBACK_BEGIN, site: site, identity: id)
    let began = lt_thread_cpu_ns()
    let answer = body()
    let cpu = lt_thread_cpu_ns() &- began
    emit(LT_KIND_CALLBACK_END, site: site, identity: id, 2, answer ? 1 : 0, cpu)
    return answer
  }

  /// An item of a queue of the runtime, which was handed over at `site`.
  static func work(on queue: String, at site: Lifetrace.Site, _ body: () -> Void) {
    guard lt_enabled() else { return body() }
    let id = lt_next_id()
    emit(LT_KIND_WORK_BEGIN, site: site.id, identity: id, 2, 0, name(queue))
    body()
    emit(LT_KIND_WORK_END, site: site.id, identity: id)
  }

  /// Work is put off until later; answers what ties its beginning or its end to that, 0 for nothing.
  static func delayed(on queue: String, at site: Lifetrace.Site) -> UInt64 {
    guard lt_enabled() else { return 0 }
    let id = lt_next_id()
    emitDelayed(LT_KIND_RESOURCE_ACQUIRE, queue, site, last: id)
    return id
  }

  /// Work that was put off begins to run.
  static func delayedRuns(on queue: String, at site: Lifetrace.Site, id: UInt64) {
    guard id != 0, lt_enabled() else { return }
    emitDelayed(LT_KIND_RESOURCE_USE, queue, site, last: 0)
    emitDelayed(LT_KIND_RESOURCE_RELEASE, queue, site, last: id)
  }

  /// Work that was put off is cancelled at `site`, and will never run.
  static func delayedCancelled(on queue: String, at site: Lifetrace.Site, id: UInt64) {
    guard id != 0, lt_enabled() else { return }
    emitDelayed(LT_KIND_RESOURCE_RELEASE, queue, site, last: id)
  }

  private static func emitDelayed(
    _ kind: lt_kind,
    _ queue: String,
    _ site: Lifetrace.Site,
    last: UInt64
  ) {
    let delayed = UInt64(LT_RESOURCE_DELAYED_WORK.rawValue)
    emit(kind, site: site.id, identity: name(queue), 3, delayed, 0, last)
  }

  static func transition(from: Lifetrace.AppState, to: Lifetrace.AppState, cause: String) {
    guard lt_enabled() else { return }
    emit(
      LT_KIND_TRANSITION,
      4,
      UInt64(from.rawValue),
      UInt64(to.rawValue),
      name(cause),
      lt_process_cpu_ns()
    )
  }

  /// The time granted is nominal, as limits are.
  static func taskBegan(
    id: UInt64,
    name task: String,
    seconds: Double,
    handler: Bool,
    at site: Lifetrace.Site
  ) {
    guard lt_enabled() else { return }
    let granted = UInt64(min(max(0, seconds), 9e9) * 1e9)
    emit(
      LT_KIND_TASK_BEGIN,
      site: site.id,
      identity: id,
      3,
      name(task),
      granted,
      handler ? 1 : 0
    )
  }

  static func taskExpired(id: UInt64) { emit(LT_KIND_TASK_EXPIRE, identity: id) }

  static func taskEnded(id: UInt64, at site: Lifetrace.Site) {
    emit(LT_KIND_TASK_END, site: site.id, identity: id)
  }

  static func notificationDelivered(type: String, key: String, value: String) {
    guard lt_enabled() else { return }
    var event = lt_record()
    event.kind = UInt8(LT_KIND_NOTIFICATION_DELIVERED.rawValue)
    event.arg_count = 2
    event.identity = name(type)
    event.arg.0 = name(key)
    event.arg.1 = name(value)
    lt_emit_ordered(&event)
  }

  /// By the observer that was added at `site`.
  static func notificationHandled(
    type: String,
    key: String,
    took: Int64,
    at site: Lifetrace.Site
  ) {
    guard lt_enabled() else { return }
    let took = UInt64(bitPattern: took)
    emit(LT_KIND_NOTIFICATION_HANDLED, site: site.id, identity: name(type), 2, name(key), took)
  }

  static func wakeBegan(id: UInt64, reason: String) {
    guard lt_enabled() else { return }
    emit(LT_KIND_WAKE_BEGIN, identity: id, 1, name(reason))
  }

  static func wakeCompleted(id: UInt64, result: String) {
    guard lt_enabled() else { return }
    emit(LT_KIND_WAKE_COMPLETION, identity: id, 1, name(result))
  }

  static func callReported(wake id: UInt64, call: String, at site: Lifetrace.Site) {
    guard lt_enabled() else { return }
    emit(LT_KIND_WAKE_REPORTED, site: site.id, identity: id, 1, name(call))
  }

  /// A service with a background mode runs from here on, or no longer.
  static func service(_ mode: String, runs: Bool) {
    guard lt_enabled() else { return }
    let kind = runs ? LT_KIND_RESOURCE_ACQUIRE : LT_KIND_RESOURCE_RELEASE
    let other = UInt64(LT_RESOURCE_OTHER.rawValue)
    emit(kind, identity: name(mode), 2, other, name("background-service"))
  }

  static func touch(view: String) {
    guard lt_enabled() else { return }
    emit(LT_KIND_TOUCH, 1, name(view))
  }

  static func mark(_ text: String) {
    guard lt_enabled() else { return }
    emit(LT_KIND_MARK, site: lt_site(text, "", 0, ""))
  }

  /// A warning of the runtime to the app.
  static func log(_ text: String) {
    guard lt_enabled() else { return }
    emit(LT_KIND_LOG, 2, name(text), 4)
  }

  static func config(_ key: String, _ value: String) {
    guard lt_enabled(), !value.isEmpty else { return }
    emit(LT_KIND_PROCESS_CONFIG, identity: name(key), 1, name(value))
  }

  /// Identifies this process, before its first event.
  static func configure(app: String, version: String) {
    lt_configure(app, 0, nil, version)
    _ = lt_join()
  }
}
