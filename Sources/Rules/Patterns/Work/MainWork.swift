// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Work of some kinds does not block the main thread, or not for long.
///
///     MainWork(kinds: [.file, .database], limit: { $0.mainFile }) { scene, span, outcome in Story("…", …) }
struct MainWork: Pattern {
  /// The story of work on main.
  enum Outcome: Sendable {
    /// It was too long, on main.
    case over
    /// It may have been too long.
    case unclear
    /// Main may have gone on with other things meanwhile.
    case mayNotBlock
    /// The system's own diagnostics name the act and not how long it took.
    case reported
  }

  let kinds: [WorkKind]
  /// How long it may take: a warning from the lesser limit on; where there is none, no time at all.
  var limit: (@Sendable (borrowing Profile) -> Profile.Limit)?
  /// What takes less is no wait, ns of the device: the hand-over of a request that goes on elsewhere.
  var least: (@Sendable (borrowing Profile) -> Int64)?
  /// Whether such work is meant, where it ends.
  var when: @Sendable (OpenSpan, borrowing RuleContext) -> Bool = { _, _ in true }
  /// Whether a breach is an error: one from the greater limit on, if there is one, always is.
  var isGrave: @Sendable (borrowing RuleContext) -> Bool = { _ in false }
  let says: @Sendable (Scene, OpenSpan, Outcome) -> Story
  private(set) var hasHeld = false

  var attention: [Trigger] { kinds.map(Trigger.workEnd) + Trigger.endings }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard event.kind == .workEnd else {
      for span in context.workOnMain(kinds) { judge(span, event, &context, names) }
      return
    }
    guard let span = context.closing else { return }
    if span.thread == .main, event.thread == .main, context.blocksMain(span) {
      judge(span, event, &context, names)
    } else if limit == nil {
      context.held()
    }
  }

  private mutating func judge(
    _ span: OpenSpan,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard when(span, context) else { return }
    var limit = limit?(context.profile)
    let took = event.time - span.time
    let observer = event.observer
    // One call that nobody has marked: how long it takes is the disk's doing here, and its neighbours'.
    if observer == .observe, let kill = limit?.kill { limit?.warn = kill }
    var comparison = RuleContext.Comparison.over
    if let limit {
      let error = context.uncertainty(span.time, event.time, flags: event.flags)
      comparison = context.compare(
        took,
        limit.warn,
        error: error,
        since: span.sequence,
        doubt: context.doubtBlocking(span)
      )
    }
    let isReported = limit != nil && took == 0 && observer == .inferred
    // A log may have one time for both ends.
    if let least, observer != .inferred {
      let error = context.uncertainty(span.time, event.time, flags: event.flags)
      let long = context.compare(took, least(context.profile), error: error)
      if case .within = long { return context.heldOnce(&hasHeld) }
    }
    if case .within = comparison, !isReported { return context.heldOnce(&hasHeld) }
    let isGrave =
      limit.map { observer != .observe && took > context.surely($0.kill) } ?? isGrave(context)
    var (finding, outcome) = (Finding.broken(isGrave ? .error : .warning), Outcome.over)
    if isReported {
      (finding, outcome) = (.broken(.warning), .reported)
    } else if let doubt = context.doubtBlocking(span) {
      (finding, outcome) = (.unclear(doubt), .mayNotBlock)
    } else if case .unclear(let reason) = comparison {
      (finding, outcome) = (.unclear(reason), .unclear)
    }
    context.say(finding, event, names) { says($0, span, outcome) }
  }
}
