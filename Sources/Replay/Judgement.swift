// SPDX-License-Identifier: Apache-2.0
public import LifetraceLifecycle
public import LifetraceRules

/// How a recording is judged: whose deadlines hold, and which rules.
public struct Judgement: Sendable, Equatable {
  /// Whose deadlines; nil for those that each recording names.
  public var profile: Profile?
  /// Which rules.
  public var rules: RuleSelection

  /// All rules, unless others are named.
  public init(profile: Profile? = nil, rules: RuleSelection = .all) {
    self.profile = profile
    self.rules = rules
  }

  /// A checker that judges so.
  public var checker: Checker {
    profile.map { Checker(profile: $0, rules: rules) } ?? Checker(rules: rules)
  }
}
