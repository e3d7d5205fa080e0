// SPDX-License-Identifier: Apache-2.0

/// Rules about one matter; the ids of all begin with the same letters.
struct RuleFamily: Sendable {
  /// The letters: `DL`.
  let letters: String
  let title: String
  let rules: [Rule]

  init(_ letters: String, _ title: String, _ rules: [Rule]) {
    (self.letters, self.title, self.rules) = (letters, title, rules)
  }
}

/// Every rule there is: a new one is a declaration in the file of its family, and stands in its list.
public enum RuleTable {
  static let families = [
    Deadlines.family, Transitions.family, DataSafety.family, MainThreadUse.family,
    BackgroundTasks.family, Notifications.family, Resources.family, TheSystem.family,
  ]

  static let rules = families.flatMap(\.rules)

  /// What is said of each.
  public static let infos = rules.map(\.info)

  /// The same, family by family.
  package static var chapters: [(title: String, infos: [RuleInfo])] {
    families.map { ($0.title, $0.rules.map(\.info)) }
  }

  /// What is said of the rule of that id, or nil.
  public static func info(_ id: String) -> RuleInfo? { infos.first { $0.id == id } }
}
