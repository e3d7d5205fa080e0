// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Whether something that a project's rule names goes on: it was begun, and not ended.
///
///     never: {event: work.begin *, while: callback applicationWillResignActive}
struct Ongoing: Sendable {
  /// What is known of it.
  enum Answer {
    case no
    case yes
    /// What may be missing.
    case maybe(Sentence)
  }

  private var begins: Watcher
  private let ends: EventSelector
  private var open: [OwnKey: HostTime] = [:]

  /// That of a selector that has an end; its begin is number `number` of the rule's.
  init?(_ selector: EventSelector, _ number: Int) {
    guard let ending = selector.ending else { return nil }
    begins = Watcher(selector, number)
    ends = ending
  }

  var attention: [Trigger] { begins.selector.attention + ends.attention }

  /// Takes note of an event, when that has been judged.
  mutating func note(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if case .yes = begins.match(event, &context, names), open.count < LifeState.openMax,
      let key = OwnKey(event, .identity, context, names)
    {
      open[key] = event.time
    }
    // What ends without its name having been seen is tied by its identity all the same.
    guard ends.kinds.contains(event.kind) else { return }
    if let key = OwnKey(event, .identity, context, names) { open[key] = nil }
  }

  /// Whether it goes on now.
  func answer(_ context: borrowing RuleContext) -> Answer {
    guard let latest = open.values.max() else {
      let doubt = context.unseen(begins.selector, since: HostTime(rawValue: .min))
      return doubt.map { .maybe($0) } ?? .no
    }
    return context.unseen(ends, since: latest).map { .maybe($0) } ?? .yes
  }
}
