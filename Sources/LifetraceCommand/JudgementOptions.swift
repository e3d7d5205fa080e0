// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetraceLifecycle
import LifetraceRules
import LifetraceScenario

/// How recordings are judged: whose deadlines, which rules, and what the project says of both.
struct JudgementOptions: ParsableArguments {
  @Option(
    help:
      "Whose deadlines: \(Profile.all.map(\.name).joined(separator: ", ")); by default those of the recording.",
    completion: .list(Profile.all.map(\.name))
  )
  var profile: String?

  @Option(
    parsing: .unconditional,
    help: "Which rules: ids and families, such as DS,BT01, or all but some: -ST07.",
    completion: .list(RuleTable.words)
  )
  var rules: String?

  @OptionGroup var project: ProjectConfiguration

  func validate() throws {
    // Rules may be the project's own, which is read later.
    _ = try ProjectConfiguration.judgement(profile: profile, rules: nil, nil)
  }

  /// What they come to, with what the project's file says.
  func judgement(_ configuration: Configuration?) throws -> Judgement {
    try ProjectConfiguration.judgement(profile: profile, rules: rules, configuration)
  }
}

extension RuleTable {
  /// What may be typed for rules: families, and ids.
  static var words: [String] { families.map(\.letters) + infos.map(\.id) }
}
