// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family DL: what must be done in time. Every limit comes from the profile.

/// didEnterBackground returns in time, or the app is killed and purged.
struct DL02: Rule {
  static let info = RuleInfo(
    "DL02",
    "didEnterBackground returns within its deadline.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: about 5 seconds",
    severity: .error,
    fix: "Call beginBackgroundTask first, hand the work to a queue, and return."
  )
  static let attention = Attention.kinds([.callbackEnd] + Attention.endings)

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    CallbackDeadline(.didEnterBackground, context.profile.enterBackground)
      .apply(event, &context, names)
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    CallbackDeadline(.didEnterBackground, context.profile.enterBackground).finish(&context, names)
  }
}

/// willTerminate returns in time, or the process is ended in it.
struct DL03: Rule {
  static let info = RuleInfo(
    "DL03",
    "willTerminate returns within its deadline.",
    source: "App Programming Guide, App Termination: about 5 seconds",
    severity: .error,
    fix: "Save less there, and earlier."
  )
  static let attention = Attention.kinds([.callbackEnd] + Attention.endings)

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    CallbackDeadline(.willTerminate, context.profile.terminate).apply(event, &context, names)
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    CallbackDeadline(.willTerminate, context.profile.terminate).finish(&context, names)
  }
}

/// A callback that has a deadline: judged at its end, at the process's, or at the recording's.
struct CallbackDeadline {
  let callback: Callback
  let limit: Profile.Limit

  init(_ callback: Callback, _ limit: Profile.Limit) {
    self.callback = callback
    self.limit = limit
  }

  func apply(_ event: borrowing Event, _ context: inout RuleContext, _ names: borrowing Names) {
    if event.kind == .callbackEnd {
      guard context.callback == callback, let span = context.closing else { return }
      if let cpu = context.unjudgedTime(event), cpu > limit.warn {
        let name = context.name(span.site, names, or: "\(name: callback.rawValue)")
        let witness = context.witness("begin", span.sequence, span.time, span.site, names)
        return context.undecidable(
          RuleContext.realTimeReason(cpu),
          at: event.sequence,
          event.time
        ) { _ in .init(title: "\(name) may have missed its deadline", witnesses: [witness]) }
      }
      return judge(span, event.sequence, event.time, "ran for", event.flags, &context, names)
    }
    guard context.state.process.ending == nil else { return }
    let isKilled = context.isKill(event, code: TerminationCode.watchdog, names)
    for span in open(&context, names) {
      judge(
        span,
        event.sequence,
        event.time,
        "had run for",
        event.flags,
        isKilled: isKilled,
        &context,
        names
      )
    }
  }

  /// Callbacks that are open when the recording ends may have missed their deadline already, or not yet.
  func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard context.state.process.ending == nil else { return }
    let end = context.state.lastTime
    for span in open(&context, names) {
      let duration = context.running(span, until: end)
      if case .over = context.compare(duration, limit.warn), context.doubtless(span) {
        let sequence = context.state.nextSequence ?? 0
        judge(span, max(1, sequence) - 1, end, "had run for", [], &context, names)
        continue
      }
      let reason: Sentence =
        context.doubt(.callback, since: span.time).map { "its end may be missing: \($0)" }
        ?? "it was still running when the recording ended, \(context.words(duration)) into "
        + "\(context.limit(limit.warn))"
      let witness = context.witness("\(callback)", span.sequence, span.time, span.site, names)
      context.undecidable(reason, at: span.sequence, span.time) { _ in
        .init(title: "\(name: callback.rawValue) has no end", witnesses: [witness])
      }
    }
  }

  private func open(_ context: inout RuleContext, _ names: borrowing Names) -> [OpenSpan] {
    var found: [OpenSpan] = []
    for span in context.state.spans.values where span.kind == .callbackBegin {
      if context.history.callback(of: span.site, names) == callback { found.append(span) }
    }
    return found
  }

  private func judge(
    _ span: OpenSpan,
    _ sequence: UInt64,
    _ end: HostTime,
    _ verb: String,
    _ flags: EventFlags,
    isKilled: Bool = false,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let duration = context.running(span, until: end)
    let name = context.name(span.site, names, or: "\(name: callback.rawValue)")
    let witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness(verb == "ran for" ? "end" : "still running", sequence, end, .none, names),
    ]
    let error = context.uncertainty(span.time, end, flags: flags)
    let comparison = context.compare(
      duration,
      limit.warn,
      error: error,
      isKilled: isKilled,
      doubt: context.doubt(ofEnd: verb == "ran for" ? nil : .callback, since: span.time)
    )
    switch comparison {
    case .within: context.held()
    case .unclear(let reason):
      context.undecidable(reason, at: sequence, end) { _ in
        .init(title: "\(name) may have missed its deadline", witnesses: witnesses)
      }
    case .over:
      let limit = limit
      context.violated(at: sequence, end) { context in
        var details: [Sentence] = ["It may take \(context.limit(limit.warn))."]
        if limit.kill > limit.warn {
          details[0] =
            "It should take at most \(context.limit(limit.warn)), and the system kills "
            + "the app at \(context.limit(limit.kill))."
        } else if isKilled {
          details[0] += " The system killed the app for it."
        }
        return .init(
          title: "\(name) \(verb) \(context.length(duration, over: limit.warn))"
            + "\(context.at(span.site, names))",
          details: details,
          witnesses: witnesses
        )
      }
    }
  }
}

/// No background task outlives the time that the system grants in the background.
struct DL05: Rule {
  static let info = RuleInfo(
    "DL05",
    "No background task is held in the background beyond the time granted.",
    source: "UIApplication Background Task Notes; permittedBackgroundDuration in device logs",
    severity: .error,
    fix: "End the task earlier, work in pieces, or use a processing task."
  )
  static let attention = Attention.kinds(TaskDeadline.kinds)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    TaskDeadline.background.apply(event, &context, names)
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    TaskDeadline.background.finish(&context, names)
  }
}

/// A background task that gets old is suspicious in the foreground too.
struct DL06: Rule {
  static let info = RuleInfo(
    "DL06",
    "No background task is held for longer than half a minute, in the foreground either.",
    source: "UIKit's warning: was created over 30 seconds ago",
    severity: .warning,
    fix: "Begin it when the work begins, end it when the work ends."
  )
  static let attention = Attention.kinds(TaskDeadline.kinds)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    TaskDeadline.age.apply(event, &context, names)
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    TaskDeadline.age.finish(&context, names)
  }
}

/// How long a background task may be held, judged wherever its clock stops.
enum TaskDeadline {
  /// From leaving the foreground.
  case background
  /// From its begin.
  case age

  static let kinds: [EventKind] = [.taskEnd, .transition] + Attention.endings

  func apply(_ event: borrowing Event, _ context: inout RuleContext, _ names: borrowing Names) {
    switch event.kind {
    case .taskEnd:
      guard let task = context.state.tasks[event.identity] else { return }
      judge(task, event.sequence, event.time, "was ended", &context, names)
    case .transition:
      // Back in the foreground the background clock stops.
      guard self == .background, context.change?.to == .inactive else { return }
      for task in context.state.tasks.values {
        judge(task, event.sequence, event.time, "came back to the foreground", &context, names)
      }
    default:
      guard context.state.process.ending == nil else { return }
      let hasKilled = context.isKill(event, code: TerminationCode.backgroundTask, names)
      let isKilled = hasKilled && self == .background
      let how =
        isKilled ? "was still held when the system killed the app" : "was still held at the end"
      for task in context.state.tasks.values {
        judge(task, event.sequence, event.time, how, isKilled: isKilled, &context, names)
      }
    }
  }

  func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard context.state.process.ending == nil else { return }
    let (end, next) = (context.state.lastTime, context.state.nextSequence ?? 0)
    for task in context.state.tasks.values {
      guard let clock = clock(task, until: end, context) else { continue }
      let isOver = clock.held > context.scaled(clock.limit)
      if isOver && context.doubt(.task, since: task.time) == nil {
        judge(task, max(next, 1) - 1, end, "is still held at the end", &context, names)
        continue
      }
      let reason: Sentence =
        context.doubt(.task, since: task.time).map { "its end may be missing: \($0)" }
        ?? "it was still held when the recording ended, \(context.words(clock.held)) into "
        + "\(context.limit(clock.limit))"
      let name = names[task.name]
      let witness = context.witness("begin", task.sequence, task.time, task.site, names)
      context.undecidable(reason, at: task.sequence, task.time) { _ in
        .init(title: "background task \"\(name: name)\" has no end", witnesses: [witness])
      }
    }
  }

  /// How long it has been held, in running time, and how long it may; nil where this clock does not run.
  private func clock(
    _ task: OpenTask,
    until end: HostTime,
    _ context: RuleContext
  ) -> TaskClock? {
    let (state, profile) = (context.state, context.profile)
    return self == .age
      ? state.ageClock(of: task, until: end, profile)
      : state.backgroundClock(of: task, until: end, profile, scaled: context.scaled)
  }

  private func judge(
    _ task: OpenTask,
    _ sequence: UInt64,
    _ end: HostTime,
    _ how: String,
    isKilled: Bool = false,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let clock = clock(task, until: end, context) else { return }
    let (held, limit) = (clock.held, clock.limit)
    if self == .background, context.state.appState == .unknown, let doubt = context.doubt(.state) {
      let witness = context.witness("begin", task.sequence, task.time, task.site, names)
      return context.undecidable("the state is unknown: \(doubt)", at: sequence, end) { _ in
        .init(title: "a task was held in a state that is not known", witnesses: [witness])
      }
    }
    let error = context.uncertainty(task.time, end)
    let name = task.title(names)
    let site = context.at(task.site, names)
    var witnesses = [
      context.witness("begin", task.sequence, task.time, task.site, names),
      context.witness(how, sequence, end, .none, names),
    ]
    if self == .background, let since = task.backgroundSince, since > task.time,
      let entered = context.history.states.last(where: { $0.time == since })
    {
      witnesses.append(
        context.witness("left the foreground", entered.sequence, since, .none, names)
      )
    }
    let place = self == .background ? " in the background" : ""
    let comparison = context.compare(
      held,
      limit,
      error: error,
      isKilled: isKilled,
      doubt: context.doubt(ofEnd: how == "was ended" ? nil : .task, since: task.time)
    )
    switch comparison {
    case .within: context.held()
    case .unclear(let reason):
      context.undecidable(reason, at: sequence, end) { _ in
        .init(title: "background task \(name) may have been held too long", witnesses: witnesses)
      }
    case .over:
      context.violated(at: sequence, end) { context in
        .init(
          title: "background task \(name)\(site) was held for "
            + "\(context.length(held, over: limit))\(place)",
          details: [
            "The limit is \(context.limit(limit)); it \(how).",
            task.expired == nil
              ? "Its expiration handler was not called."
              : "Its expiration handler had been called.",
          ],
          witnesses: witnesses
        )
      }
    }
  }
}

extension RuleContext {
  /// Whether the end of an extent would be known if it had happened.
  func doubtless(_ span: OpenSpan) -> Bool { doubt(span.kind.family, since: span.time) == nil }
}
