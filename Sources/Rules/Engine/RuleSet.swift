// SPDX-License-Identifier: Apache-2.0
import LifetraceWords

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

  /// What would have done in place of `id`, which is none: the same id in its own spelling, else those of
  /// the family; for letters that are no family, those of the same number whose letters are near.
  package func advice(for id: String) -> String {
    let known = infos.map(\.id)
    let word = Self.split(id)
    if let meant = known.first(where: { Self.split($0) == word }) {
      return "did you mean \(meant)?"
    }
    let family = known.filter { Self.split($0).letters == word.letters }
    guard family.isEmpty else {
      return "there is: \(family.joined(separator: ", ")); lifetrace rules explains them"
    }
    let near = known.filter {
      let other = Self.split($0)
      return other.number == word.number && nearest(to: word.letters, among: [other.letters]) != nil
    }
    return near.isEmpty || near.count > Self.nearMax
      ? "lifetrace rules lists them" : "did you mean \(near.joined(separator: " or "))?"
  }

  /// More ids than this are no guess.
  private static let nearMax = 3

  /// `ds-2` as the letters DS and the number 2.
  private static func split(_ id: String) -> (letters: String, number: Int?) {
    let id = id.uppercased()
    return (String(id.filter(\.isLetter)), Int(id.filter(\.isNumber)))
  }
}
