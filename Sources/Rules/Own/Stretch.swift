// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// From which event to which a rule of a project asks something: by default in the whole process.
///
///     never: {event: work.begin, since: suspend, until: resume}
struct Stretch: Sendable {
  /// What is said of a moment.
  enum Answer {
    case no
    case yes
    /// An event that would begin or end it may be missing.
    case maybe(Sentence)
  }

  private var since: Watcher?
  private var until: Watcher?
  private var isOn: Bool
  /// When that was last seen to change.
  private var turned = HostTime(rawValue: .min)
  /// Why it may have changed since.
  private var doubt: Sentence?

  /// Its begin is number `number` of the rule's, its end the next one.
  init(_ bounds: OwnRule.Bounds, _ number: Int) {
    since = bounds.since.map { Watcher($0, number) }
    until = bounds.until.map { Watcher($0, number + (bounds.since == nil ? 0 : 1)) }
    isOn = since == nil
  }

  var attention: [Trigger] {
    (since?.selector.attention ?? []) + (until?.selector.attention ?? [])
  }

  /// Takes note of an event, when that has been judged: the one that ends it is still in it.
  mutating func note(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch until?.match(event, &context, names) {
    case .yes: turn(false, event.time)
    case .unknown: doubt = until?.doubt(event, context)
    default: break
    }
    switch since?.match(event, &context, names) {
    case .yes: turn(true, event.time)
    case .unknown: doubt = since?.doubt(event, context)
    default: break
    }
  }

  private mutating func turn(_ isOn: Bool, _ time: HostTime) {
    (self.isOn, turned, doubt) = (isOn, time, nil)
  }

  /// Whether it is asked now.
  func answer(_ context: borrowing RuleContext) -> Answer {
    if let doubt { return .maybe(doubt) }
    guard let next = isOn ? until : since else { return isOn ? .yes : .no }
    if let unseen = context.unseen(next.selector, since: turned) { return .maybe(unseen) }
    return isOn ? .yes : .no
  }
}
