// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A project's rule: something does not come before something else.
///
///     order: {first: data.restored, then: work.begin && name == "sync", since: active}
///
/// What was done counts in its process, or until the event of `since` comes again, before which
/// nothing is asked. Each of the second events is an occasion.
struct Precedence: Pattern {
  private let tie: EventTie
  private var first: Watcher
  private var second: Watcher
  private var since: Watcher?
  private var done: Set<OwnKey> = []
  /// More was done than can be remembered.
  private var isFull = false
  /// Something was done that may have been it.
  private var isDoubtful = false
  private var begin: OwnEvent?

  init(_ span: OwnRule.Span, since: EventSelector?) {
    tie = span.tie
    first = Watcher(span.first, 0)
    second = Watcher(span.second, 1)
    self.since = since.map { Watcher($0, 2) }
  }

  var attention: [Trigger] {
    first.selector.attention + second.selector.attention + (since?.selector.attention ?? [])
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if second.match(event, &context, names) == .yes, since == nil || begin != nil {
      judge(event, &context, names)
    }
    if since?.match(event, &context, names) == .yes {
      done = []
      (isFull, isDoubtful) = (false, false)
      begin = OwnEvent(event, context, names)
    }
    switch first.match(event, &context, names) {
    case .no, .near: break
    case .unknown: isDoubtful = true
    case .yes:
      guard let key = OwnKey(event, tie, context, names) else { return isDoubtful = true }
      if done.count < LifeState.openMax { done.insert(key) } else { isFull = true }
    }
  }

  private func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let key = OwnKey(event, tie, context, names), !done.contains(key) else {
      return context.held()
    }
    let wanted = first.selector
    let start = begin?.time ?? HostTime(rawValue: .min)
    var doubt = context.unseen(wanted, since: start)
    if isDoubtful {
      doubt = .nameless(wanted)
    } else if isFull {
      doubt = "more came than can be remembered"
    }
    let (second, since, begin) = (second.selector, since?.selector, begin)
    let remark = first.remark
    context.say(.broken(unless: doubt), event, names) { scene in
      let title = scene.title(OwnEvent(scene.event, scene.context, scene.names), second)
      var witnesses = [scene.witness("then")]
      var span: Sentence = "in this process"
      if let begin, let since {
        witnesses.insert(scene.witness("since", begin), at: 0)
        span = "since \(scene.title(begin, since)), \(scene.before(begin))"
      }
      return Story(
        "\(title) came without \(wanted.text) before it",
        [scene.context.ownRule, "There was none \(span)."] + remark,
        witnesses
      )
    }
  }
}
