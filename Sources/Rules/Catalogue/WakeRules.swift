// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family DL, continued: launches and wakes.

/// A launch is over before the user gives up, and before the watchdog does.
struct DL01: Rule {
  static let info = RuleInfo(
    "DL01",
    "A launch into the foreground handles events within seconds.",
    source: "iPhone Application Programming Guide: roughly 5 seconds; launch watchdog: 20 seconds",
    severity: .error,
    fix: "Move work off the main thread and the network out of the launch."
  )
  static let attention = Attention.kinds([.processStart, .transition] + Attention.endings)
  private var start: (time: HostTime, sequence: UInt64)?
  /// The process was started ahead of the user, and waits for him: its launch begins with its first state.
  private var isAhead = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .processStart:
      isAhead = names[Payload.ProcessStart(event).reason] == "prewarm"
      start = isAhead ? nil : (event.time, event.sequence)
    case .transition:
      guard let change = context.change else { return }
      if isAhead {
        isAhead = false
        if change.to == .inactive { start = (event.time, event.sequence) }
      }
      guard let begin = start else { return }
      if change.to == .background { start = nil }
      if change.to != .active { return }
      start = nil
      judge(begin, "was active after", event.sequence, event.time, &context, names)
    default:
      guard let begin = start, context.state.process.ending == nil else { return }
      start = nil
      let limit = context.scaled(context.profile.launch.warn)
      // Where states are missing, it may have been killed for what came after the launch.
      let isKilled =
        context.isKill(event, code: TerminationCode.watchdog, names)
        && context.doubt(.state, since: begin.time) == nil
      let isOver = event.time - begin.time > limit || isKilled
      guard context.state.appState == .inactive, isOver else { return }
      let verb = "was still launching after"
      judge(begin, verb, event.sequence, event.time, isKilled: isKilled, &context, names)
    }
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard let begin = start, context.state.appState == .inactive else { return }
    let took = context.state.lastTime - begin.time
    let limit = context.profile.launch.warn
    let reason: Sentence =
      context.doubt(.state)
      ?? "the recording ends \(context.words(took)) into \(context.limit(limit))"
    let witness = context.witness("start", begin.sequence, begin.time, .none, names)
    context.undecidable(reason, at: begin.sequence, begin.time) { _ in
      .init(title: "the launch has no end", witnesses: [witness])
    }
  }

  private func judge(
    _ begin: (time: HostTime, sequence: UInt64),
    _ verb: String,
    _ sequence: UInt64,
    _ time: HostTime,
    isKilled: Bool = false,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let took = time - begin.time
    let limit = context.profile.launch
    let witnesses = [
      context.witness("start", begin.sequence, begin.time, .none, names),
      context.witness("end of the launch", sequence, time, .none, names),
    ]
    let error = context.uncertainty(begin.time, time)
    let comparison = context.compare(
      took,
      limit.warn,
      error: error,
      isKilled: isKilled,
      doubt: context.doubt(.state, since: begin.time).map { "its end may be missing: \($0)" }
    )
    switch comparison {
    case .within: context.held()
    case .unclear(let reason):
      context.undecidable(reason, at: sequence, time) { _ in
        .init(title: "the launch may have been too slow", witnesses: witnesses)
      }
    case .over:
      let isDeadly = isKilled || took > context.surely(limit.kill)
      context.violated(at: sequence, time, severity: isDeadly ? .error : .warning) { context in
        .init(
          title: "the app \(verb) \(context.length(took, over: limit.warn))",
          details: [
            "It should take at most \(context.limit(limit.warn)), and the system kills a launch at "
              + "\(context.limit(limit.kill))." + (isKilled ? " It has killed this one." : "")
          ],
          witnesses: witnesses
        )
      }
    }
  }
}

/// A wake has time for one thing, and must say when it is done.
struct DL09: Rule {
  static let info = RuleInfo(
    "DL09",
    "The completion handler of every wake is called in time.",
    source: "UIApplicationDelegate background fetch and push; codes 0x2182bad3 and 0x2182bad4",
    severity: .error,
    fix: "Call the completion handler on every path, failures included."
  )
  static let attention = Attention.kinds([.wakeCompletion] + Attention.endings)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if event.kind == .wakeCompletion {
      guard let wake = context.state.wakes[event.identity],
        Profile.hasCompletion(wake: names[wake.reason])
      else { return }
      return judge(wake, "was called after", event.sequence, event.time, &context, names)
    }
    guard context.state.process.ending == nil else { return }
    var missed: OpenWake?
    let wakes = context.state.wakes.values.filter {
      Profile.hasCompletion(wake: names[$0.reason])
    }
    for wake in wakes {
      let isTheirs = context.isKill(event, code: Self.code(of: names[wake.reason]), names)
      // The oldest is the one whose time was up.
      if isTheirs, missed.map({ wake.time < $0.time }) ?? true { missed = wake }
    }
    if let missed {
      let verb = "was not called for"
      judge(missed, verb, event.sequence, event.time, isKilled: true, &context, names)
    }
    for wake in wakes {
      if wake.sequence == missed?.sequence { continue }
      guard isOver(wake, event.time, context, names) else { continue }
      judge(wake, "was not called for", event.sequence, event.time, &context, names)
    }
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard context.state.process.ending == nil else { return }
    let (end, next) = (context.state.lastTime, context.state.nextSequence ?? 0)
    for wake in context.state.wakes.values {
      let name = names[wake.reason]
      guard Profile.hasCompletion(wake: name) else { continue }
      if isOver(wake, end, context, names) && context.doubt(.wake, since: wake.time) == nil {
        judge(wake, "was not called for", max(next, 1) - 1, end, &context, names)
        continue
      }
      let reason: Sentence =
        context.doubt(.wake, since: wake.time).map { "the completion may be missing: \($0)" }
        ?? "the recording ends \(context.words(end - wake.time)) into "
        + "\(context.limit(context.profile.limit(ofWake: name).kill))"
      let witness = context.witness("wake", wake.sequence, wake.time, .none, names)
      context.undecidable(reason, at: wake.sequence, wake.time) { _ in
        .init(title: "the wake by \(name: name) has no completion", witnesses: [witness])
      }
    }
  }

  private func isOver(
    _ wake: OpenWake,
    _ end: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    end - wake.time > context.scaled(context.profile.limit(ofWake: names[wake.reason]).kill)
  }

  private func judge(
    _ wake: OpenWake,
    _ verb: String,
    _ sequence: UInt64,
    _ end: HostTime,
    isKilled: Bool = false,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let took = end - wake.time
    let name = names[wake.reason]
    let limit = context.profile.limit(ofWake: name).kill
    let witnesses = [
      context.witness("wake", wake.sequence, wake.time, .none, names),
      context.witness(
        verb == "was called after" ? "completion" : "end",
        sequence,
        end,
        .none,
        names
      ),
    ]
    let error = context.uncertainty(wake.time, end)
    let isDone = verb == "was called after"
    let comparison = context.compare(
      took,
      limit,
      error: error,
      isKilled: isKilled,
      doubt: isDone
        ? nil
        : context.doubt(.wake, since: wake.time).map { "the completion may be missing: \($0)" }
    )
    switch comparison {
    case .within: context.held()
    case .unclear(let reason):
      context.undecidable(reason, at: sequence, end) { _ in
        .init(title: "the wake by \(name: name) may have taken too long", witnesses: witnesses)
      }
    case .over:
      let isLate = took > context.surely(limit)
      context.violated(at: sequence, end) { context in
        .init(
          title: "the completion handler of the wake by \(name: name) \(verb) "
            + "\(context.length(took, over: limit))",
          details: [
            isLate ? "The limit is \(context.limit(limit))." : "The system killed the app for it."
          ],
          witnesses: witnesses
        )
      }
    }
  }

  /// The code with which the system ends an app that misses the completion of such a wake.
  private static func code(of reason: String) -> UInt64 {
    switch reason {
    case "url-session": TerminationCode.urlSession
    case "voip": TerminationCode.badCall
    default: TerminationCode.fetch
    }
  }
}
