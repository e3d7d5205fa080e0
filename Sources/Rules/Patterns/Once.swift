// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What waited for the app while it was suspended comes once.
///
///     Once(.notification, posts: .notificationPosted, …) { scene, before in Story("…", …) }
struct Once<Key: FlatKey>: Pattern {
  /// The family whose events report it: lost ones may hide what allows it again.
  let family: EventFamily
  /// What may be missing then.
  let missing: Sentence
  /// The kind of event that comes once for a key, and the key.
  let event: EventKind
  let key: @Sendable (borrowing Event) -> Key
  /// The kind of event that lets it come again, and the key.
  let renewal: EventKind
  let renewed: @Sendable (borrowing Event) -> Key
  /// Whether it has waited.
  let hasWaited: @Sendable (Key, borrowing RuleContext) -> Bool
  /// Describes one that came again.
  let says: @Sendable (Scene, Key, _ before: HostTime, _ isSure: Bool) -> Story
  /// When it has come, since the last suspension.
  private(set) var come = FlatTable<Key, HostTime>()
  private(set) var hasSlept = false

  var attention: [Trigger] { [event, renewal, .suspend, .transition].map(Trigger.event) }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .suspend, .transition:
      guard context.change?.suspends == true else { return }
      hasSlept = true
      come.removeAll()
    case renewal:
      if hasSlept, let place = come.place(of: renewed(event)) { come.remove(at: place) }
    default:
      guard hasSlept else { return }
      let key = key(event)
      guard let before = come[key] else {
        guard hasWaited(key, context), context.hasRoom(come.count, for: "occasion") else { return }
        come.insert(event.time, for: key)
        return context.held()
      }
      let doubt = context.doubt(family, since: before)
      let reason: Sentence? = doubt.map { "\(missing) may be missing: \($0)" }
      context.say(.broken(unless: reason), event, names) {
        says($0, key, before, doubt == nil)
      }
    }
  }
}
