// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTrace
import LifetraceWords

/// An event of the trace that a scenario waits for.
///
///     - wait: {after: data.durable}                    # any object
///     - wait: {after: data.durable, name: draft.txt}
///     - wait: {after: draft.txt.durable}               # the same
package struct EventCondition: Sendable, Hashable {
  package var kind: EventKind
  /// A name that must stand in it: of its place in the source, its object, its type, its reason.
  package var name: String?

  /// Any event of the kind.
  package init(kind: EventKind) { self.kind = kind }

  /// The condition that `after` and `name` describe; nil for words that are the app's own.
  package init?(after text: String, name: String?) {
    if let info = KindInfo.byName[text], text.contains(".") {
      kind = info.kind
      self.name = name
      return
    }
    guard name == nil, let dot = text.lastIndex(of: "."), dot != text.startIndex else { return nil }
    guard let info = KindInfo.byName["data." + text[text.index(after: dot)...]] else { return nil }
    kind = info.kind
    self.name = String(text[..<dot])
  }

  /// The kind that was meant by a word that begins like one and is none; an empty string for a family without a near one.
  package static func misspelt(_ text: String) -> String? {
    guard let dot = text.firstIndex(of: "."), Self.init(after: text, name: nil) == nil else {
      return nil
    }
    let names = KindInfo.all.map(\.name).filter { $0.contains(".") }
    if let near = nearest(to: text, among: names) { return near }
    return names.contains { $0.hasPrefix(text[...dot]) } ? "" : nil
  }

  /// Whether the words of an event have the name.
  ///
  /// A notification has it in both spellings, with and without `Notification` at its end.
  package func holds(_ words: [String]) -> Bool {
    guard let name else { return true }
    let short = NotificationClass.shortName(name)
    return words.contains { NotificationClass.shortName($0) == short }
  }

  package var text: String {
    (kind.info?.name ?? "") + (name.map { " of `\($0)`" } ?? "")
  }
}

extension Scenario.Step {
  /// The event that this step waits for, if it does.
  package var condition: EventCondition? {
    guard name == .wait, let after = self["after"] else { return nil }
    return EventCondition(after: after, name: self["name"])
  }
}

extension [Scenario.Step] {
  /// The kinds of the events that these steps wait for, or that change what their expressions come to.
  package var awaitedKinds: Set<EventKind> {
    var kinds: Set<EventKind> = []
    collectOwnKinds(into: &kinds)
    let asked = questions
    guard !asked.isEmpty else { return kinds }
    // What is known of a life begins with its start, and ends where events are missing.
    kinds.formUnion([.processStart, .loss])
    for value in UInt8.min...UInt8.max {
      let kind = EventKind(rawValue: value)
      if asked.contains(where: { $0.touching.contains(kind) }) { kinds.insert(kind) }
    }
    return kinds
  }

  private func collectOwnKinds(into kinds: inout Set<EventKind>) {
    for step in self {
      if let kind = step.condition?.kind { kinds.insert(kind) }
      step.steps.collectOwnKinds(into: &kinds)
    }
  }
}
