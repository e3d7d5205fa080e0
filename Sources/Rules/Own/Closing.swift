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
  private let span: OwnRule.Span
  private var begins: Watcher
  private var ends: Watcher
  private var moments: Watcher
  private var open: OpenBegins

  init(_ span: OwnRule.Span, before: EventSelector) {
    self.span = span
    open = OpenBegins(span)
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
    for _ in open.end(by: &ends, event, &context, names) { context.held() }
    if moments.selector.question.asksGiven {
      for begin in open.end(by: &moments, event, &context, names) {
        judge(begin, event, &context, names)
      }
    } else if moments.match(event, &context, names) == .yes {
      for begin in open.all { judge(begin, event, &context, names) }
      open.clear()
    }
    if begins.match(event, &context, names) == .yes { begin(event, &context, names) }
    if context.ends(event) { open.clear() }
  }

  private mutating func begin(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch open.place(of: event, context, names) {
    case (.nowhere, _), (.known(_, .some), _): break
    case (.unbound(let name), _): context.say(unbound: name, span.first, event, names)
    case (.known(let key, nil), let bound):
      var begin = OwnEvent(event, context, names)
      begin.bound = bound
      open.add(begin, key, context)
    }
  }

  private func judge(
    _ begin: OwnEvent,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let (first, wanted, moment) = (begins.selector, ends.selector, moments.selector)
    let remark = ends.remark
    let bound = open.words(for: begin, names)
    let doubt = begin.doubt ?? context.unseen(wanted, since: begin.time)
    context.say(.broken(unless: doubt), event, names) { scene in
      let what = scene.title(begin, first)
      let end = scene.title(OwnEvent(scene.event, scene.context, scene.names), moment)
      return Story(
        "\(what) was not followed by \(wanted.text) before \(end)",
        [scene.context.ownRule, "It was \(scene.before(begin))\(scene.at(begin.site))."]
          + bound + remark,
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
    for begin in open.all {
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
