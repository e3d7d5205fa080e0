// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules

/// How a recording is judged: whose deadlines hold, and which rules.
package struct Judgement: Sendable, Equatable {
  /// Whose deadlines; nil for those that each recording names.
  package var profile: Profile?
  /// Which rules.
  package var rules: RuleSelection

  /// All rules, unless others are named.
  package init(profile: Profile? = nil, rules: RuleSelection = .all) {
    self.profile = profile
    self.rules = rules
  }

  /// A checker that judges so.
  package var checker: Checker {
    profile.map { Checker(profile: $0, rules: rules) } ?? Checker(rules: rules)
  }
}
