// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A project's rule: what was begun is undone before something comes.
///
///     pair: {begin: resource.acquire && class == lock, before: suspend}
///
/// Each begin is an occasion. One that is open when the process ends was not undone before something
/// that can come no more: that is no breach, unless the rule asks for the end of the process.
struct Closing: Pattern {
  private let tie: EventTie
  private var begins: Watcher
  private var ends: Watcher
  private var moments: Watcher
  private var open: [OwnKey: OwnEvent] = [:]

  init(_ span: OwnRule.Span, before: EventSelector) {
    tie = span.tie
    begins = Watcher(span.first, 0)
    ends = Watcher(span.second, 1)
    moments = Watcher(before, 2)
  }

  var attention: [Trigger] {
    begins.selector.attention + ends.selector.attention + moments.selector.attention
      + Trigger.endings
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch ends.match(event, &context, names) {
    case .no, .near: break
    case .unknown: doubtOpen()
    case .yes:
      if let key = OwnKey(event, tie, context, names) {
        if open.removeValue(forKey: key) != nil { context.held() }
      } else {
        doubtOpen()
      }
    }
    if moments.match(event, &context, names) == .yes {
      for begin in open.values.sorted(by: { $0.sequence < $1.sequence }) {
        judge(begin, event, &context, names)
      }
      open = [:]
    }
    if begins.match(event, &context, names) == .yes, open.count < LifeState.openMax,
      let key = OwnKey(event, tie, context, names), open[key] == nil
    {
      open[key] = OwnEvent(event, context, names)
    }
    if context.ends(event) { open = [:] }
  }

  /// Each of them may have been undone.
  private mutating func doubtOpen() {
    for key in Array(open.keys) { open[key]?.doubt = .nameless(ends.selector) }
  }

  private func judge(
    _ begin: OwnEvent,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let (first, wanted, moment) = (begins.selector, ends.selector, moments.selector)
    let remark = ends.remark
    let doubt = begin.doubt ?? context.unseen(wanted, since: begin.time)
    context.say(.broken(unless: doubt), event, names) { scene in
      let what = scene.title(begin, first)
      let end = scene.title(OwnEvent(scene.event, scene.context, scene.names), moment)
      return Story(
        "\(what) was not followed by \(wanted.text) before \(end)",
        [scene.context.ownRule, "It was \(scene.before(begin))\(scene.at(begin.site))."]
          + remark,
        [scene.witness("begin", begin), scene.here("not later than here")]
      )
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    let (first, wanted) = (begins.selector, ends.selector)
    for begin in open.values.sorted(by: { $0.sequence < $1.sequence }) {
      let place = (begin.sequence, begin.time)
      context.say(.unclear("the recording ends before"), at: place, last, names) { scene in
        Story(
          "\(scene.title(begin, first)) is not followed by \(wanted.text)",
          [scene.context.ownRule],
          [scene.witness("begin", begin)]
        )
      }
    }
  }
}
