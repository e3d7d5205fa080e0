// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

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
  static let attention = Attention.kinds(
    [.turnEnd, .callbackEnd, .workEnd, .waitEnd] + Attention.endings
  )
  /// Only this many long spans are remembered, to name the longest part of a hang.
  private static let recentMax = 8
  private var recent: [(span: OpenSpan, end: HostTime)] = []
  private var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if Attention.endings.contains(event.kind) { return judgeEnding(event, &context, names) }
    guard event.thread == .main, let span = context.closing, span.thread == .main else { return }
    let hang = context.profile.hang
    if let cpu = context.unjudgedTime(event), cpu >= hang.severe,
      context.callback != .didEnterBackground, context.callback != .willTerminate
    {
      let name = context.title(span, names)
      let witness = context.witness("begin", span.sequence, span.time, span.site, names)
      context.undecidable(RuleContext.realTimeReason(cpu), at: event.sequence, event.time) { _ in
        .init(title: "\(name) may have blocked the main thread", witnesses: [witness])
      }
    }
    let busy =
      context.state.appState == .active ? max(span.time, context.state.stateSince) : span.time
    let duration = event.time - busy
    let error = context.uncertainty(span.time, event.time, flags: event.flags)
    let threshold = context.scaled(hang.hang)
    defer { if duration > threshold / 8 { note(span, event.time) } }
    if duration.addingSaturated(error) <= threshold {
      if context.state.appState == .active { context.heldOnce(&hasHeld) }
      return
    }
    guard context.blocksMain(span), context.isOutermost(span) else { return }
    let witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness("end", event, names),
    ]
    if context.state.appState == .unknown, let doubt = context.doubt(.state) {
      let name = context.title(span, names)
      return context.undecidable("the state is unknown: \(doubt)", at: event.sequence, event.time) {
        .init(
          title:
            "\(name) kept the main thread busy for \($0.words(duration)), perhaps while the app was active",
          witnesses: witnesses
        )
      }
    }
    guard context.state.appState == .active else { return }
    let hung = Hang(span: span, sequence: event.sequence, time: event.time, duration: duration)
    judge(hung, error, witnesses, &context, names)
  }

  /// A hang may last until the process ends: the watchdog sees to that, or the user does.
  private func judgeEnding(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard isInFront(&context, names) else { return }
    let isKilled = context.isKill(event, code: TerminationCode.watchdog, names)
    guard let span = context.blockingMain, context.doubtless(span) else {
      guard isKilled else { return }
      let witness = context.witness("killed", event, names)
      return context.violated(at: event.sequence, event.time) { _ in
        .init(
          title: "The system killed the app while it was active: its main thread did not answer",
          details: ["What the main thread was doing is not recorded."],
          witnesses: [witness]
        )
      }
    }
    let hung = Hang(
      span: span,
      sequence: event.sequence,
      time: event.time,
      duration: event.time - max(span.time, context.state.stateSince),
      ending: isKilled ? "the watchdog killed the app" : "the process ended",
      isKill: isKilled
    )
    let witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness(isKilled ? "killed" : "end of the process", event, names),
    ]
    let error = context.uncertainty(span.time, event.time, flags: event.flags)
    judge(hung, error, witnesses, &context, names)
  }

  func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard isInFront(&context, names),
      let span = context.blockingMain, context.doubtless(span)
    else { return }
    let (end, next) = (context.state.lastTime, context.state.nextSequence ?? 0)
    let hung = Hang(
      span: span,
      sequence: max(next, 1) - 1,
      time: end,
      duration: end - max(span.time, context.state.stateSince),
      ending: "the recording ended"
    )
    let witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness("end of the recording", hung.sequence, end, .none, names),
    ]
    judge(hung, context.uncertainty(span.time, end), witnesses, &context, names)
  }

  /// Whether somebody waits for main: of an app that terminates nobody does, and DL03 judges it.
  private func isInFront(_ context: inout RuleContext, _ names: borrowing Names) -> Bool {
    guard context.state.process.ending == nil, context.state.appState == .active else {
      return false
    }
    for span in context.state.spans.values where span.kind == .callbackBegin {
      if context.history.callback(of: span.site, names) == .willTerminate { return false }
    }
    return true
  }

  /// Keeps a long span on main that ended.
  private mutating func note(_ span: OpenSpan, _ end: HostTime) {
    guard span.kind != .turnBegin else { return }
    if recent.count == Self.recentMax { recent.removeFirst() }
    recent.append((span, end))
  }

  /// The longest span that ended inside `span`.
  private func longestInside(_ span: OpenSpan) -> (span: OpenSpan, end: HostTime)? {
    recent.filter { $0.span.sequence > span.sequence }.max {
      ($0.end - $0.span.time, $1.span.sequence) < ($1.end - $1.span.time, $0.span.sequence)
    }
  }

  /// What kept main from the user.
  private struct Hang {
    let span: OpenSpan
    /// Where it ended, or the process did.
    let sequence: UInt64
    let time: HostTime
    let duration: Int64
    /// What ended it, if it did not end itself.
    var ending: String?
    /// Whether it was the watchdog, which settles that it was too long.
    var isKill = false
  }

  private func judge(
    _ hung: Hang,
    _ error: Int64,
    _ witnesses: [Witness],
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let hang = context.profile.hang
    let (span, duration) = (hung.span, hung.duration)
    let name = context.title(span, names)
    var witnesses = witnesses
    switch context.compare(duration, hang.hang, error: error, isKilled: hung.isKill) {
    case .within: context.held()
    case .unclear(let reason):
      context.undecidable(reason, at: hung.sequence, hung.time) { _ in
        .init(title: "\(name) may have blocked the main thread", witnesses: witnesses)
      }
    case .over:
      if let doubt = context.doubtBlocking(span), !hung.isKill {
        return context.undecidable(doubt, at: hung.sequence, hung.time) { _ in
          .init(title: "\(name) may have blocked the main thread", witnesses: witnesses)
        }
      }
      var details: [Sentence] = []
      if let ending = hung.ending {
        details.append("It had not ended when \(ending).")
        if let inner = context.innermostOnMain, inner != span {
          let inside = context.title(inner, names)
          details.append("At that moment it was in \(inside)\(context.at(inner.site, names)).")
          witnesses.insert(
            context.witness("inside", inner.sequence, inner.time, inner.site, names),
            at: 1
          )
        }
      } else if let inner = longestInside(span) {
        let inside = context.title(inner.span, names)
        let part = inner.end - inner.span.time
        let took = duration > hang.hang ? context.length(part, over: 0) : context.words(part)
        details.append("\(took) of it is \(inside)\(context.at(inner.span.site, names)).")
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
      let isSevere = duration >= context.surely(hang.severe) || hung.isKill
      if duration >= context.surely(hang.kill), !hung.isKill {
        details.append("After \(context.limit(hang.kill)) the system may kill the app.")
      } else if isSevere, !hung.isKill {
        details.append("From \(context.limit(hang.severe)) on the system reports it as a hang.")
      }
      context.violated(at: hung.sequence, hung.time, severity: isSevere ? .error : .warning) {
        .init(
          title: "\(name)\($0.at(span.site, names)) blocked the main thread for "
            + "\($0.length(duration, over: hang.hang)) while the app was active",
          details: details,
          witnesses: witnesses
        )
      }
    }
  }
}
