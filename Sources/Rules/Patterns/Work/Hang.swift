// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// The main thread of an active app is never busy so long that it can be felt.
///
/// It is judged where the busy work ends; where the process ends, since the watchdog or the user
/// may have ended it; and where the recording ends.
struct Hang: Pattern {
  /// What kept main from the user.
  struct Block: Sendable {
    /// Nil where nothing that is recorded was open when the watchdog killed the app.
    let span: OpenSpan?
    let duration: Int64
    /// The event that ended the hang.
    let stop: Stop
    /// The longest span that has ended inside it, or the innermost that has not.
    var inner: (span: OpenSpan, end: HostTime)?
    var isSevere = false
    /// What is unknown about it.
    var doubt: Doubt?
  }

  enum Stop: Sendable {
    case ended, killed, processEnded, recordingEnded
  }

  enum Doubt: Sendable {
    /// How long it was, or whether it blocked main.
    case length
    /// Virtual time does not show how long it was.
    case untimed
    /// Whether the app was active.
    case state
  }

  let says: @Sendable (Scene, Block) -> Story
  /// Only this many long spans are remembered, to name the longest part of a hang.
  private static let recentMax = 8
  private(set) var recent: [(span: OpenSpan, end: HostTime)] = []
  private(set) var hasHeld = false

  var attention: [Trigger] {
    [EventKind.turnEnd, .callbackEnd, .workEnd, .waitEnd].map(Trigger.event) + Trigger.endings
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .purge, .processExit: return ended(event, &context, names)
    default: break
    }
    guard event.thread == .main, let span = context.closing, span.thread == .main else { return }
    let hang = context.profile.hang
    if let cpu = context.unjudgedTime(event), cpu >= hang.severe,
      context.callback != .didEnterBackground, context.callback != .willTerminate
    {
      let block = Block(span: span, duration: cpu, stop: .ended, doubt: .untimed)
      context.say(.unclear(RuleContext.realTimeReason(cpu)), event, names) { says($0, block) }
    }
    let state = context.state.appState
    let front = front(of: span, event, context)
    let duration = front.end - front.begin
    let error = context.uncertainty(span.time, event.time, flags: event.flags)
    let threshold = context.scaled(hang.hang)
    defer { if duration > threshold / 8 { note(span, event.time) } }
    if duration.addingSaturated(error) <= threshold {
      if state == .active {
        context.heldOnce(&hasHeld)
        // What would be no hang at any length has no margin.
        if context.isMeasuring, context.blocksMain(span), context.isOutermost(span),
          !isTermination(span, context)
        {
          _ = context.compare(duration, hang.hang, error: error, since: span.sequence)
        }
      }
      return
    }
    guard context.blocksMain(span), context.isOutermost(span) else { return }
    if state == .unknown, let doubt = context.doubt(.state) {
      let block = Block(span: span, duration: duration, stop: .ended, doubt: .state)
      context.say(.unclear("the state is unknown: \(doubt)"), event, names) { says($0, block) }
      return
    }
    guard front.isActive, !isTermination(span, context) else { return }
    if span.kind == .turnBegin, let doubt = context.unseen(.callback, since: span.time) {
      let block = Block(span: span, duration: duration, stop: .ended, doubt: .length)
      let reason: Sentence = "whether the app was being ended in it is not known: \(doubt)"
      context.say(.unclear(reason), event, names) { says($0, block) }
      return
    }
    judge(span, duration, error, .ended, event, &context, names)
  }

  /// The part of `span` in which the user waited: it may have begun while the app was active, and
  /// have taken it off the screen.
  private func front(
    of span: OpenSpan,
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) -> (begin: HostTime, end: HostTime, isActive: Bool) {
    let time = event.time
    if context.state.appState == .active {
      return (max(span.time, context.state.stateSince), time, true)
    }
    let before = context.history.states.last { $0.sequence < span.sequence }
    guard before?.state == .active, context.state.appState != .unknown else {
      return (span.time, time, false)
    }
    return (span.time, min(time, context.state.leftForeground ?? time), true)
  }

  /// Whether the app terminates in it: nobody waits for it any more.
  private func isTermination(_ span: OpenSpan, _ context: borrowing RuleContext) -> Bool {
    if context.callback == .willTerminate { return true }
    guard let run = context.history.run(of: .willTerminate) else { return false }
    return run.begin >= span.time
  }

  /// The process ends, and what blocked main with it.
  private func ended(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard isInFront(&context, names) else { return }
    let isKilled = context.isKill(event, code: TerminationCode.watchdog, names)
    guard let span = context.blockingMain, context.doubtless(span) else {
      guard isKilled else { return }
      let block = Block(span: nil, duration: 0, stop: .killed)
      context.say(.broken(), event, names) { says($0, block) }
      return
    }
    let duration = event.time - max(span.time, context.state.stateSince)
    let error = context.uncertainty(span.time, event.time, flags: event.flags)
    judge(span, duration, error, isKilled ? .killed : .processEnded, event, &context, names)
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard isInFront(&context, names), let span = context.blockingMain, context.doubtless(span)
    else { return }
    let duration = last.time - max(span.time, context.state.stateSince)
    let error = context.uncertainty(span.time, last.time)
    judge(span, duration, error, .recordingEnded, last, &context, names)
  }

  /// Whether a user waits for main: not while the app terminates.
  private func isInFront(_ context: inout RuleContext, _ names: borrowing Names) -> Bool {
    guard context.state.process.ending == nil, context.state.appState == .active else {
      return false
    }
    return Ledger.callback(.willTerminate).open(&context, names).isEmpty
  }

  /// Keeps a long span on main that ended.
  private mutating func note(_ span: OpenSpan, _ end: HostTime) {
    guard span.kind != .turnBegin else { return }
    if recent.count == Self.recentMax { recent.removeFirst() }
    recent.append((span, end))
  }

  private func judge(
    _ span: OpenSpan,
    _ duration: Int64,
    _ error: Int64,
    _ stop: Stop,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let hang = context.profile.hang
    let isKilled = stop == .killed
    var block = Block(span: span, duration: duration, stop: stop)
    let comparison = context.compare(
      duration,
      hang.hang,
      error: error,
      isKilled: isKilled,
      since: span.sequence
    )
    switch comparison {
    case .within: return context.held()
    case .unclear(let reason):
      block.doubt = .length
      context.say(.unclear(reason), event, names) { says($0, block) }
      return
    case .over: break
    }
    if !isKilled, let doubt = context.doubtBlocking(span) {
      block.doubt = .length
      context.say(.unclear(doubt), event, names) { says($0, block) }
      return
    }
    block.isSevere = duration >= context.surely(hang.severe) || isKilled
    if stop != .ended {
      if let inner = context.innermostOnMain, inner != span { block.inner = (inner, event.time) }
    } else {
      block.inner = recent.filter { $0.span.sequence > span.sequence }.max {
        ($0.end - $0.span.time, $1.span.sequence) < ($1.end - $1.span.time, $0.span.sequence)
      }
    }
    context.say(.broken(block.isSevere ? .error : .warning), event, names) { says($0, block) }
  }
}
