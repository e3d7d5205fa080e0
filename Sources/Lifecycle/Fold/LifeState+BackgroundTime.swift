// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// A clock against which a background task is held.
public struct TaskClock: Sendable, Hashable {
  /// From when on it counts: the app left the foreground, began the task, or was woken.
  public var since: HostTime
  /// Nanoseconds for which the process has run since then.
  public var held: Int64
  /// The time granted, in nominal nanoseconds.
  public var limit: Int64
}

extension LifeState {
  /// The clock of a task at `end`; nil in the foreground, where none runs, and without a limit.
  ///
  /// Each wake begins the time anew. A processing task has a time of its own, which is longer; the
  /// clock that leaves more time counts. `scaled` turns nominal time into that of the recording.
  public func backgroundClock(
    of task: OpenTask,
    until end: HostTime,
    _ profile: Profile,
    scaled: (Int64) -> Int64
  ) -> TaskClock? {
    guard let left = task.backgroundSince, !task.isUnlimited else { return nil }
    var start = BackgroundStart(
      time: max(left, task.time),
      suspendedBefore: task.suspendedBefore
    )
    if let renewed = process.renewed, renewed.time > start.time { start = renewed }
    func clock(_ start: BackgroundStart, _ limit: Int64) -> TaskClock {
      let held = running(since: start.time, suspendedBefore: start.suspendedBefore, until: end)
      return TaskClock(since: start.time, held: held, limit: limit)
    }
    let usual = clock(start, profile.backgroundTask.kill)
    guard let processing = process.processing else { return usual }
    let long = clock(processing, profile.processingTask.kill)
    func remaining(_ clock: TaskClock) -> Int64 {
      scaled(clock.limit).subtractingSaturated(clock.held)
    }
    return remaining(long) > remaining(usual) ? long : usual
  }

  /// The clock of a task's age at `end`, which runs in the foreground too.
  public func ageClock(of task: OpenTask, until end: HostTime, _ profile: Profile) -> TaskClock {
    TaskClock(
      since: task.time,
      held: running(since: task.time, suspendedBefore: task.suspendedBefore, until: end),
      limit: profile.taskAge.warn
    )
  }
}
