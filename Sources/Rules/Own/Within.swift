// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A project's rule: what begins is followed by something within a limit.
///
///     within: {from: background && any spans where name == "upload", to: work.end, limit: 20s}
///
/// An occasion is the first event since the last end. The length is nominal, as thresholds are.
struct Within: Pattern {
  /// What stopped the clock.
  private enum Stop {
    case ended, begunAgain, processEnded, recordingEnded
  }

  private let span: OwnRule.Span
  /// Nominal nanoseconds.
  private let limit: Int64
  /// Whether suspensions are taken out.
  private let isRunning: Bool
  private var from: Watcher
  private var to: Watcher
  private var open: OpenBegins

  init(_ span: OwnRule.Span, limit: Int64, isRunning: Bool) {
    (self.span, self.limit, self.isRunning) = (span, limit, isRunning)
    open = OpenBegins(span)
    from = Watcher(span.first, 0)
    to = Watcher(span.second, 1)
  }

  var attention: [Trigger] {
    from.selector.attention + to.selector.attention + Trigger.endings
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for begin in open.end(by: &to, event, &context, names) {
      judge(begin, .ended, event, &context, names)
    }
    switch from.match(event, &context, names) {
    case .no, .near: break
    case .yes: begin(event, nil, &context, names)
    case .unknown: begin(event, from.doubt(event, context), &context, names)
    }
    guard context.ends(event) else { return }
    judgeOpen(.processEnded, event, &context, names)
    open.clear()
  }

  private mutating func begin(
    _ event: borrowing Event,
    _ doubt: Sentence?,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch open.place(of: event, context, names) {
    case (.nowhere, _): return
    case (.unbound(let name), _): context.say(unbound: name, span.first, event, names)
    case (.known(let key, let first), let bound):
      if let first {
        guard length(first, event, context) > context.scaled(limit) else { return }
        judge(first, .begunAgain, event, &context, names)
      }
      var begin = OwnEvent(event, context, names)
      (begin.doubt, begin.bound) = (doubt, bound)
      open.add(begin, key, context)
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    judgeOpen(.recordingEnded, last, &context, names)
  }

  private func judgeOpen(
    _ stop: Stop,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for begin in open.all {
      judge(begin, stop, event, &context, names)
    }
  }

  private func length(
    _ begin: OwnEvent,
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) -> Int64 {
    guard isRunning else { return event.time - begin.time }
    return context.state.running(
      since: begin.time,
      suspendedBefore: begin.suspendedBefore,
      until: event.time
    )
  }

  private func judge(
    _ begin: OwnEvent,
    _ stop: Stop,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let length = length(begin, event, context)
    let error = context.uncertainty(begin.time, event.time, flags: event.flags)
    let finding: Finding
    if stop == .ended, let cpu = context.unjudgedTime(event), cpu > limit {
      finding = .unclear(RuleContext.realTimeReason(cpu))
    } else {
      let doubt = doubt(begin, isEnded: stop == .ended, context)
      switch context.compare(length, limit, error: error, since: begin.sequence, doubt: doubt) {
      case .over: finding = .broken()
      case .unclear(let reason): finding = .unclear(reason)
      case .within where stop == .ended: return context.held()
      case .within:
        let what = stop == .processEnded ? "the process" : "the recording"
        finding = .unclear(
          "\(what) ended \(context.words(length)) after it, and \(context.limit(limit)) are allowed"
        )
      }
    }
    let (from, to) = (from.selector, to.selector)
    let isEnded = stop == .ended
    let remark = self.to.remark
    let place = isEnded ? nil : (begin.sequence, begin.time)
    let bound = open.words(for: begin, names)
    context.say(finding, at: place, event, names) { scene in
      let first = scene.title(begin, from)
      let took = scene.words(length)
      guard case .broken = finding else {
        return Story(
          isEnded
            ? "\(scene.title(OwnEvent(scene.event, scene.context, scene.names), to)) may have come too late after \(first)"
            : "\(first) is not followed by \(to.text)",
          [scene.context.ownRule] + bound,
          [scene.witness("from", begin)] + (isEnded ? [scene.witness("to")] : [])
        )
      }
      if isEnded {
        let last = scene.title(OwnEvent(scene.event, scene.context, scene.names), to)
        return Story(
          "\(last) came \(took) after \(first), and \(scene.limit(limit)) are allowed",
          [scene.context.ownRule] + bound,
          [scene.witness("from", begin), scene.witness("to")]
        )
      }
      let end =
        switch stop {
        case .begunAgain: "came again"
        case .processEnded: "process ended"
        default: "recording ends"
        }
      return Story(
        "\(first) was not followed by \(to.text) within \(scene.limit(limit))",
        [scene.context.ownRule] + bound + ["None had come \(took) later (\(end))."]
          + remark,
        [scene.witness("from", begin), scene.here(end)]
      )
    }
  }

  /// Why an end may have come earlier than the clock was stopped.
  private func doubt(
    _ begin: OwnEvent,
    isEnded: Bool,
    _ context: borrowing RuleContext
  ) -> Sentence? {
    if let doubt = begin.doubt { return doubt }
    // A span, a task and so on have one end.
    let hasOneEnd = span.tie == .identity && to.selector.identity?.type != .name
    if !(isEnded && hasOneEnd), let unseen = context.unseen(to.selector, since: begin.time) {
      return unseen
    }
    guard isRunning else { return nil }
    return context.unseen(.state, since: begin.time).map { "a suspension may be missing: \($0)" }
  }
}
