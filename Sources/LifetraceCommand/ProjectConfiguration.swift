// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetracePlatform
import LifetraceScenario
import LifetraceLifecycle
import LifetraceReports
import LifetraceRules

/// `lifetrace.yml`, of the current directory or where `--config` says.
struct ProjectConfiguration: ParsableArguments {
  @Option(
    help: "The configuration to use; by default lifetrace.yml here, if there is one.",
    completion: .file(extensions: ["yml", "yaml"])
  )
  var config: String?

  /// Where it is; nil where there is none.
  var path: String? {
    config ?? (access(Configuration.fileName, F_OK) == 0 ? Configuration.fileName : nil)
  }

  /// Reads it; a mistake in it is reported with its place and ends the command.
  func load() throws -> Configuration? {
    guard let path else { return nil }
    do {
      return try Configuration(contentsOf: path)
    } catch let problem as ScenarioProblem {
      let all = (try? Configuration.problems(inFile: path)) ?? []
      for problem in all.isEmpty ? [problem] : all { Failure.say(problem.text(file: path)) }
    } catch {
      Failure.say("\(error)")
    }
    throw ExitCode(EX_CONFIG)
  }

  /// The deadlines and rules that are judged: by the command line, else by the project.
  static func judgement(profile: String?, rules: String?, _ configuration: Configuration?) throws
    -> Judgement
  {
    let configuration = configuration ?? Configuration()
    if let profile, Profile.named(profile) == nil {
      let all = Profile.all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no profile \(profile); there are \(all).")
    }
    let over = try configuration.profile(orNamed: profile)
    do throws(RuleSelectionError) {
      let rules = try configuration.selection(rules)
      return Judgement(profile: over, rules: rules, of: configuration.ruleSet)
    } catch {
      throw ValidationError(error.description)
    }
  }
}

extension Configuration.SwitchedOff {
  /// What is said of it beside verdicts.
  var sentence: String { "\(rule) is switched off: \(reason)" }
}
