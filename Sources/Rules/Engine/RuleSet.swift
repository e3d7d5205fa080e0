// SPDX-License-Identifier: Apache-2.0

/// The rules by which recordings are judged: those of the catalogue, and those of a project.
///
///     let rules = RuleSet(own: configuration.rules)
///     rules.info("APP01")?.statement
///
/// Verdicts and findings name a rule by its index here, which a judgement keeps.
package struct RuleSet: Sendable, Equatable {
  /// Those of the catalogue alone.
  package static let builtIn = RuleSet(own: [])

  /// Those of the project, in its order; they stand behind the others.
  package let own: [OwnRule]
  let rules: [Rule]
  /// What is said of each, in their order.
  package let infos: [RuleInfo]

  /// The catalogue's and these, at most ``OwnRule/rulesMax``.
  package init(own: [OwnRule]) {
    precondition(own.count <= OwnRule.rulesMax)
    self.own = own
    rules = RuleTable.rules + own.map(\.rule)
    infos = rules.map(\.info)
    precondition(rules.count <= Int(UInt8.max))
  }

  /// The same rules of a project are the same set.
  package static func == (left: RuleSet, right: RuleSet) -> Bool { left.own == right.own }

  /// What is said of the rule of that id, or nil.
  package func info(_ id: String) -> RuleInfo? { infos.first { $0.id == id } }
}
