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
    let off = configuration?.off.map { "-\($0.rule)" } ?? []
    var judgement = Judgement(of: RuleSet(own: configuration?.rules ?? []))
    if rules != nil || !off.isEmpty {
      do throws(RuleSelectionError) {
        let list = [rules].compactMap { $0 } + off
        judgement.rules = try RuleSelection(list.joined(separator: ","), of: judgement.table)
      } catch {
        throw ValidationError(error.description)
      }
    }
    guard let profile else {
      judgement.profile = configuration?.profile
      return judgement
    }
    guard let known = Profile.named(profile) else {
      let all = Profile.all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no profile \(profile); there are \(all).")
    }
    judgement.profile = try configuration?.adjusted(known) ?? known
    return judgement
  }
}

extension Configuration {
  /// What it suppresses on that day; `path` is where it stands.
  func suppressions(on day: String, path: String) -> [Suppression] {
    suppressed.filter { !$0.isExpired(on: day) }.map { one in
      Suppression(
        rule: one.rule,
        app: one.app,
        object: one.object,
        site: one.site,
        reason: one.reason + (one.until.map { ", until \($0)" } ?? ""),
        origin: "\(path):\(one.line)"
      )
    }
  }

  /// What it suppresses no more, a sentence each.
  func expired(on day: String, path: String) -> [String] {
    suppressed.filter { $0.isExpired(on: day) }.map {
      "\(path):\($0.line): the suppression has ended on \($0.until ?? ""), and covers nothing now: "
        + $0.reason
    }
  }
}

extension Configuration.SwitchedOff {
  /// What is said of it beside verdicts.
  var sentence: String { "\(rule) is switched off: \(reason)" }
}
