// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// Family DL, continued: the main thread, while the user looks at it.

/// The main thread of an active app is never busy so long that it can be felt.
struct DL11: Rule {
  static let info = RuleInfo(
    "DL11",
    "The main thread is never blocked perceptibly while the app is active.",
    source: "MetricKit hang reports; Apple's recommended threshold of 250 ms",
    severity: .error,
    fix: "Move the work off the main thread.",
    roles: .interactive
  )
  static let attention = Attention.kinds([.turnEnd, .callbackEnd, .workEnd, .waitEnd])
  private var main = MainThread()

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard event.thread == .main, let span = context.closing, span.thread == .main else { return }
    let hang = context.profile.hang
    let busy =
      context.state.appState == .active ? max(span.time, context.state.stateSince) : span.time
    let duration = event.time - busy
    let error = context.uncertainty(span.time, event.time, flags: event.flags)
    let threshold = context.scaled(hang.hang)
    defer { main.ended(span, event.time, worthNoting: duration > threshold / 8) }
    if duration.addingSaturated(error) <= threshold {
      if context.state.appState == .active { main.held(&context) }
      return
    }
    guard main.blocks(span), main.isOutermost(span, context.state) else { return }
    let name = MainThread.title(span, context, names)
    var witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness("end", event, names),
    ]
    if context.state.appState == .unknown, let doubt = context.doubt(.state) {
      return context.undecidable("the state is unknown: \(doubt)", at: event.sequence, event.time) {
        .init(
          title:
            "\(name) kept the main thread busy for \($0.words(duration)), perhaps while the app was active",
          witnesses: witnesses
        )
      }
    }
    guard context.state.appState == .active else { return }
    switch context.compare(duration, hang.hang, error: error) {
    case .within: context.held()
    case .unclear(let reason):
      context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(title: "\(name) may have blocked the main thread", witnesses: witnesses)
      }
    case .over:
      if let doubt = main.doubt(span, context) {
        return context.undecidable(doubt, at: event.sequence, event.time) { _ in
          .init(title: "\(name) may have blocked the main thread", witnesses: witnesses)
        }
      }
      var details: [String] = []
      if let inner = main.longestInside(span) {
        let inside = MainThread.title(inner.span, context, names)
        let took = context.words(inner.end - inner.span.time)
        let site = context.at(inner.span.site, names)
        details.append("\(took) of it is \(inside)\(site).")
        witnesses.append(
          context.witness(
            "longest part",
            inner.span.sequence,
            inner.span.time,
            inner.span.site,
            names
          )
        )
      }
      let isSevere = duration >= context.scaled(hang.severe)
      if duration >= context.scaled(hang.kill) {
        details.append("After \(context.limit(hang.kill)) the system may kill the app.")
      } else if isSevere {
        details.append("From \(context.limit(hang.severe)) on the system reports it as a hang.")
      }
      context.violated(
        at: event.sequence,
        event.time,
        severity: isSevere ? .error : .warning
      ) { context in
        .init(
          title: "\(name)\(context.at(span.site, names)) blocked the main thread for "
            + "\(context.words(duration)) while the app was active",
          details: details,
          witnesses: witnesses
        )
      }
    }
  }
}

/// What a rule about the main thread must remember to tell blocking from waiting in between.
struct MainThread {
  /// Only this many long spans are remembered, to name the longest part of a hang.
  private static let recentMax = 8

  private var lastTurnEnd = HostTime(rawValue: .min)
  private var recent: [(span: OpenSpan, end: HostTime)] = []
  private var hasHeld = false

  /// A span on main that ended.
  mutating func ended(_ span: OpenSpan, _ end: HostTime, worthNoting: Bool) {
    if span.kind == .turnBegin { lastTurnEnd = end }
    guard worthNoting, span.kind != .turnBegin else { return }
    if recent.count == Self.recentMax { recent.removeFirst() }
    recent.append((span, end))
  }

  /// An asynchronous span that began and ended on main but let turns pass between does not block it.
  func blocks(_ span: OpenSpan) -> Bool { span.kind == .turnBegin || lastTurnEnd <= span.time }

  /// Why it is not known whether work blocks main: turns that passed meanwhile may be lost.
  func doubt(_ span: OpenSpan, _ context: RuleContext) -> String? {
    guard span.kind == .workBegin else { return nil }
    return context.doubt(.callback, since: span.time).map {
      "whether the run loop turned meanwhile is not known: \($0)"
    }
  }

  /// Whether nothing else that blocks main began earlier and is still open.
  func isOutermost(_ span: OpenSpan, _ state: LifeState) -> Bool {
    !state.spans.values.contains {
      $0.thread == span.thread && $0.sequence < span.sequence
        && ($0.kind != .workBegin || (span.kind == .workBegin && blocks($0)))
    }
  }

  /// The longest span that ended inside `span`.
  func longestInside(_ span: OpenSpan) -> (span: OpenSpan, end: HostTime)? {
    recent.filter { $0.span.sequence > span.sequence }.max {
      ($0.end - $0.span.time, $1.span.sequence) < ($1.end - $1.span.time, $0.span.sequence)
    }
  }

  /// Counts one occasion a stream: there are thousands.
  mutating func held(_ context: inout RuleContext) {
    if !hasHeld { context.held() }
    hasHeld = true
  }

  /// `work "decode"`, `callback "didBecomeActive"`, `a turn of the run loop`.
  static func title(_ span: OpenSpan, _ context: RuleContext, _ names: borrowing Names) -> String {
    let name = names[names[span.site].name]
    let noun =
      switch span.kind {
      case .callbackBegin: "callback"
      case .turnBegin: "a turn of the run loop"
      case .waitBegin: "a wait"
      default: "work"
      }
    return name.isEmpty ? noun : "\(noun) \"\(name)\""
  }
}
