// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import Synchronization

/// The background tasks that are open, and when the time for them runs out.
struct TaskTable {
  var open: [UInt64: BackgroundTask] = [:]
  var nextID: UInt64 = 1
  /// When the app may no longer run; nil in the foreground.
  var limit: Int64?
  /// What the app said of its services: running or not, by mode.
  var services: [String: Bool] = [:]

  struct BackgroundTask {
    var name: String
    var handler: (@MainActor @Sendable () -> Void)?
  }
}

/// The number of a background task.
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// From 1; 0 is no task.
  public let rawValue: UInt64

  /// The task with that number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// No task: there was no time left to begin one.
  public static let invalid = BackgroundTaskIdentifier(rawValue: 0)
}

extension Application {
  /// Asks the system not to suspend the app until the task is ended.
  ///
  /// Call it *before* the work is handed to a queue. When time runs out the
  /// handler is called on the main thread and must end the task at once.
  /// Callable on any thread. Returns `invalid` when no time is left.
  public nonisolated func beginBackgroundTask(
    withName name: String = "",
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> BackgroundTaskIdentifier {
    let now = surroundings.now
    let id: UInt64 = tasks.withLock { table in
      if let limit = table.limit, limit <= now { return 0 }
      let id = table.nextID
      table.nextID += 1
      table.open[id] = TaskTable.BackgroundTask(name: name, handler: handler)
      return id
    }
    // A refusal is recorded too, as a task without an id and without time.
    AppTrace.taskBegan(
      id: id,
      name: name,
      seconds: id == 0 ? 0 : grantedSeconds,
      handler: handler != nil,
      at: AppTrace.site(file, line)
    )
    guard id != 0 else { return .invalid }
    surroundings.send(.taskBegan(id: id, name: name))
    return BackgroundTaskIdentifier(rawValue: id)
  }

  /// Reports to the system that the task is done; ending a task twice is an error of the app.
  ///
  /// Callable on any thread.
  public nonisolated func endBackgroundTask(
    _ identifier: BackgroundTaskIdentifier,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    // The end is recorded even when nothing is open: that is what a rule looks for.
    AppTrace.taskEnded(id: identifier.rawValue, at: AppTrace.site(file, line))
    let known = tasks.withLock { $0.open.removeValue(forKey: identifier.rawValue) != nil }
    if known { surroundings.send(.taskEnded(id: identifier.rawValue)) }
  }

  /// Nominal seconds until the app may no longer run; without limit in the foreground.
  public nonisolated var backgroundTimeRemaining: Double {
    guard let limit = tasks.withLock({ $0.limit }) else { return .greatestFiniteMagnitude }
    let left = Double(limit - surroundings.now) / Double(surroundings.system.timeScale) / 1_000_000
    return max(0, left)
  }

  /// The time that a task begun now is granted: the time left in the background; in the foreground,
  /// the time that it will have there.
  private nonisolated var grantedSeconds: Double {
    let hasLimit = tasks.withLock { $0.limit != nil }
    return hasLimit ? backgroundTimeRemaining : backgroundSeconds
  }

  /// The time in the background begins to run, or (in the foreground) no longer runs.
  func limitBackgroundTime(_ limited: Bool) {
    let limit = limited ? endOfTime(seconds: backgroundSeconds) : nil
    tasks.withLock { $0.limit = limit }
  }

  /// A wake begins the time in the background anew: it is that of the wake where this is longer, and
  /// never ends before that of an earlier wake.
  func renewBackgroundTime(seconds: Double) {
    let limit = endOfTime(seconds: max(backgroundSeconds, seconds))
    tasks.withLock { table in
      guard let limit else { return table.limit = nil }
      table.limit = max(limit, table.limit ?? limit)
    }
  }

  /// Nominal seconds that the app has in the background from its entry on.
  private nonisolated var backgroundSeconds: Double {
    let services = tasks.withLock { $0.services }
    return configuration.wire.runsOn(services)
      ? HostLine.Welcome.secondsWithoutLimit : surroundings.system.limitSeconds
  }

  private func endOfTime(seconds: Double) -> Int64? {
    guard seconds < HostLine.Welcome.secondsWithoutLimit else { return nil }
    return surroundings.time(in: surroundings.nanoseconds(seconds))
  }

  func expire(task id: UInt64) {
    guard let task = tasks.withLock({ $0.open[id] }) else { return }
    AppTrace.taskExpired(id: id)
    guard let handler = task.handler else { return }
    call("expirationHandler") { handler() }
  }
}
