// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRules
import LifetraceScenario

/// What the `lifetrace.yml` of a test's package says of its lives, as `lifetrace check` reads it there.
///
/// It is that of the test's folder, or of the nearest one above within the package.
struct ProjectRules: Sendable {
  /// Whose deadlines hold.
  let profile: Profile
  let rules: RuleSelection
  let table: RuleSet
  /// What does not count, today.
  let suppressions: [Suppression]

  /// Every rule of the catalogue, by the deadlines of a profile.
  init(profile: Profile) {
    (self.profile, rules, table, suppressions) = (profile, .all, .builtIn, [])
  }

  /// What is said for a scenario that the source file at `path` plays; `profile` is over all.
  ///
  /// - Throws: Everything that is wrong with the file, each with its place.
  init(_ scenario: Scenario, profile: Profile?, above path: String) throws(HostError) {
    guard let file = Configuration.file(above: path) else {
      self.init(profile: profile ?? Profile.named(scenario.profileName) ?? .standard)
      return
    }
    do {
      try self.init(scenario, profile, Configuration(contentsOf: file), file)
    } catch let problem as ScenarioProblem {
      let all = (try? Configuration.problems(inFile: file)) ?? []
      let texts = (all.isEmpty ? [problem] : all).map { $0.text(file: file) }
      throw HostError(texts.joined(separator: "\n"))
    } catch {
      throw HostError("\(file): \(error)")
    }
    if let problem = scenario.problem(with: table) {
      throw HostError(problem.text(file: scenario.file))
    }
  }

  private init(
    _ scenario: Scenario,
    _ profile: Profile?,
    _ configuration: Configuration,
    _ file: String
  ) throws {
    self.profile = try profile ?? configuration.profile(orNamed: scenario.profile) ?? .standard
    rules = try configuration.selection()
    table = configuration.ruleSet
    suppressions = configuration.suppressions(on: UniversalTime.today, path: file)
  }

  /// How a life is judged by it.
  var judgement: Judgement { Judgement(profile: profile, rules: rules, of: table) }

  /// Whether a violation, or a doubt, counts.
  func counts(_ verdict: Verdict) -> Bool { !suppressions.contains { $0.covers(verdict) } }
}
