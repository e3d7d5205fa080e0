// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What runs out was needed until then: something ran under it.
///
///     HeldIdle { scene, idle, isSure in Story("… was held until its time was up, and nothing ran", …) }
///
/// A task is idle that only its expiration handler ends, where nothing that could still be under way
/// was open by then and nothing had run for the greater part of the time granted: no work or wait,
/// no turn of the run loop, no save, no delayed item, no connection. An app that has never said what
/// it works at says nothing of where it does not.
struct HeldIdle: Pattern {
  /// A task that was held for nothing.
  struct Idle: Sendable {
    let task: OpenTask
    let id: UInt64
    /// Nanoseconds in the background until its time was up, and of those the last ones, in which
    /// nothing ran.
    let held: Int64
    let quiet: Int64
    let expired: (time: HostTime, sequence: UInt64)
    let doubt: Sentence?
  }

  let says: @Sendable (Scene, Idle, _ isSure: Bool) -> Story
  /// When work or a wait ended last.
  private(set) var lastEnd = HostTime(rawValue: .min)
  /// Whether the app has said what it works at: some work or wait, or a save.
  private(set) var tellsWork = false
  /// By the id of the task.
  private(set) var idle: [UInt64: Idle] = [:]

  init(says: @escaping @Sendable (Scene, Idle, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] {
    [
      EventKind.workBegin, .waitBegin, .dataFlushing, .workEnd, .waitEnd, .taskExpire, .taskEnd,
    ].map(Trigger.event)
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .taskExpire: expire(event, &context)
    case .taskEnd:
      let id = event.identity
      guard let found = idle.removeValue(forKey: id) else { return }
      guard context.state.tasks[id]?.sequence == found.task.sequence,
        context.isOpen([.expirationHandler], names)
      else { return }
      let missed = context.unseen(.callback, since: found.expired.time)
      let doubt = found.doubt ?? missed.map { "the end of the handler may be missing: \($0)" }
      context.say(.broken(unless: doubt), event, names) { says($0, found, doubt == nil) }
    case .workEnd, .waitEnd: lastEnd = max(lastEnd, event.time)
    default: if event.observer == .own { tellsWork = true }
    }
  }

  private mutating func expire(_ event: borrowing Event, _ context: inout RuleContext) {
    guard tellsWork else { return context.held() }
    guard let task = context.state.tasks[event.identity],
      let clock = context.backgroundClock(of: task, until: event.time),
      context.hasRoom(idle.count, of: LifeState.openMax, for: "task")
    else { return }
    let quiet = min(clock.held, event.time - max(context.lastActivity, lastEnd, clock.since))
    guard !context.isBusy, quiet > clock.held / 2 else { return context.held() }
    // What was begun before the task may run under it too.
    let started = context.state.process.started ?? HostTime(rawValue: .min)
    let doubt: Sentence? =
      context.unseen(.work, since: started) ?? context.unseen(.resource, since: started)
      ?? context.unseen(.data, since: started)
    idle[event.identity] = Idle(
      task: task,
      id: event.identity,
      held: clock.held,
      quiet: quiet,
      expired: (event.time, event.sequence),
      doubt: doubt.map { "work may be missing: \($0)" }
    )
  }
}

extension RuleContext {
  /// Whether something is open that may be under way, with or without a thread.
  fileprivate var isBusy: Bool {
    for span in state.spans.values where span.kind == .workBegin || span.kind == .waitBegin {
      return true
    }
    for resource in state.resources.values where !resource.isAtRest { return true }
    for object in state.data.values where !object.openFlushes.isEmpty { return true }
    return !state.deadlines.isEmpty || assertions > state.tasks.count
  }

  /// When main, a save or an edit was last at work, or the process began to run again.
  fileprivate var lastActivity: HostTime {
    var last = max(lastTurned, state.lastResumed ?? lastTurned)
    for object in state.data.values {
      last = max(last, object.dirty?.time ?? last, object.lastSave?.time ?? last)
      last = max(last, object.restored?.time ?? last)
    }
    return last
  }
}

extension HeldResource {
  /// Whether it is merely there: nothing runs because it is held.
  fileprivate var isAtRest: Bool {
    switch resourceClass {
    case .view, .alert, .cache, .temporaryFile: true
    default: false
    }
  }
}
