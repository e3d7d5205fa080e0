// SPDX-License-Identifier: Apache-2.0

/// Rules about one matter; the ids of all begin with the same letters.
package struct RuleFamily: Sendable {
  /// The letters of the table's ids, such as `DL`.
  package let letters: String
  /// Their subject, as a title.
  package let title: String
  let rules: [Rule]

  /// What is said of each.
  package var infos: [RuleInfo] { rules.map(\.info) }

  init(_ letters: String, _ title: String, _ rules: [Rule]) {
    (self.letters, self.title, self.rules) = (letters, title, rules)
  }
}

/// Every rule there is: a new one is a declaration in the file of its family, and stands in its list.
public enum RuleTable {
  package static let families = [
    Deadlines.family, Transitions.family, DataSafety.family, MainThreadUse.family,
    BackgroundTasks.family, Notifications.family, Resources.family, Pairs.family,
    TheSystem.family, Machines.family,
  ]

  static let rules = families.flatMap(\.rules)

  /// What is said of each.
  public static let infos = families.flatMap(\.infos)

  /// What is said of the rule of that id, or nil.
  public static func info(_ id: String) -> RuleInfo? { infos.first { $0.id == id } }
}
