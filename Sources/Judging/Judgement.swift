// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules

/// How a recording is judged: whose deadlines hold, and which rules.
package struct Judgement: Sendable, Equatable {
  /// The profile whose deadlines hold; nil for the one that each recording names.
  package var profile: Profile?
  /// The rules that are judged.
  package var rules: RuleSelection
  /// Those that there are.
  package var table: RuleSet

  /// All rules, unless others are named.
  package init(
    profile: Profile? = nil,
    rules: RuleSelection = .all,
    of table: RuleSet = .builtIn
  ) {
    self.profile = profile
    self.rules = rules
    self.table = table
  }

  /// A checker that judges so.
  package var checker: Checker {
    Checker(rules, of: table, profile: profile)
  }
}
