// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// How a launch step says that its process ends: right behind an event, whatever it is doing then.
///
///     - launch: {ends: purge, after: draft.txt.flushing}
///     - launch: {ends: reboot, after: data.durable, nth: 3}
///     - launch: {ends: crash, after: 17}                    # behind its 17th event
///
/// A process with the SDK ends itself there, so that the instant is exact. What only the system
/// sees of an app, its suspension or a change that is queued for it, counts too.
package struct ScriptedEnd: Sendable, Hashable {
  /// What takes the process away.
  package enum Act: String, Sendable, CaseIterable {
    /// The system takes its memory.
    case purge
    /// The user throws it out of the switcher.
    case kill
    /// It crashes.
    case crash
    /// The device restarts.
    case reboot
  }

  /// What takes the process away.
  package var act: Act
  /// The events that count; nil for all that the process reports itself.
  package var event: EventCondition?
  /// Behind which of them it ends, from 1.
  package var count: UInt64

  /// An end behind the event of that number, or the `count`-th that the condition means.
  package init(_ act: Act, after event: EventCondition?, count: UInt64) {
    (self.act, self.event, self.count) = (act, event, count)
  }

  /// What the step says; nil for one that says nothing of an end.
  package init?(_ step: Scenario.Step) {
    guard let act = step["ends"].flatMap(Act.init), let after = step["after"] else { return nil }
    if let number = UInt64(after) {
      guard number > 0 else { return nil }
      self.init(act, after: nil, count: number)
    } else {
      guard let event = Self.event(after, step["name"]) else { return nil }
      self.init(act, after: event, count: step["nth"].flatMap { UInt64($0) } ?? 1)
    }
  }

  /// The event that is meant: as `wait` has it, and any other kind.
  private static func event(_ after: String, _ name: String?) -> EventCondition? {
    if let event = EventCondition(after: after, name: name) { return event }
    guard let kind = KindInfo.byName[after]?.kind else { return nil }
    var event = EventCondition(kind: kind)
    event.name = name
    return event
  }

  /// What a step says for it.
  package var arguments: [Scenario.Argument] {
    var out = [Scenario.Argument(name: "ends", value: act.rawValue)]
    guard let event else { return out + [.init(name: "after", value: "\(count)")] }
    let (after, name) = event.words
    out.append(.init(name: "after", value: after))
    if let name { out.append(.init(name: "name", value: name)) }
    if count > 1 { out.append(.init(name: "nth", value: "\(count)")) }
    return out
  }

  /// Whether it is the system that sees the event, while the app cannot do anything.
  package var isSeenFromOutside: Bool { event.map { Self.outside.contains($0.kind) } ?? false }

  /// What the app does not report itself: it is not running then.
  package static let outside: Set<EventKind> = [
    .suspend, .notificationPosted, .notificationCoalesced,
  ]
}

extension EventCondition {
  /// What `after` and `name` say of it: `draft.txt.durable`; `work.begin` and a name.
  var words: (after: String, name: String?) {
    let kind = kind.info?.name ?? ""
    guard let name, kind.hasPrefix("data."), let dot = kind.firstIndex(of: ".") else {
      return (kind, name)
    }
    return (name + kind[dot...], nil)
  }
}
