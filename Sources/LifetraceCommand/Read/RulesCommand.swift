// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceScenario
import LifetraceLifecycle
import LifetraceReports
import LifetraceRules
import LifetraceTrace

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract:
      "Lists the rules that `check` and `replay` judge by, those of lifetrace.yml among them.",
    discussion: "With ids or families, tells who says so and what to do about a breach."
  )

  @Argument(
    help: "Ids or families, such as DS02 or BT; all without one.",
    completion: .list(RuleTable.words)
  )
  var ids: [String] = []

  @Flag(help: "List the thresholds that lifetrace.yml may set, as --profile has them.")
  var thresholds = false

  @Option(
    help:
      "Whose thresholds: \(Profile.all.map(\.name).joined(separator: ", ")); by default \(Profile.standard.name).",
    completion: .list(Profile.all.map(\.name))
  )
  var profile: String = Profile.standard.name

  @OptionGroup var project: ProjectConfiguration

  func validate() throws {
    guard Profile.named(profile) != nil else {
      let all = Profile.all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no profile \(profile); there are \(all).")
    }
  }

  func run() throws {
    let rules = RuleSet(own: try project.load()?.rules ?? [])
    for id in ids where infos(of: id, in: rules).isEmpty {
      throw ValidationError("there is no rule \(id); \(rules.advice(for: id))")
    }
    guard !thresholds else {
      for line in Threshold.table(of: Profile.named(profile) ?? .standard) { print(line) }
      return
    }
    guard !ids.isEmpty else {
      let width = rules.infos.map(\.id.count).max() ?? 0
      for info in rules.infos {
        let id = info.id + String(repeating: " ", count: width - info.id.count)
        print(Printable.line("\(id)  \(word(info))  \(info.statement)"))
      }
      return
    }
    for info in ids.flatMap({ infos(of: $0, in: rules) }) {
      let own = rules.own.first { $0.id == info.id }
      for line in info.manual + more(about: info) + (own?.manual ?? []) {
        print(Printable.line(line))
      }
    }
  }

  /// The limits and the events that it judges by, and the stories that show it.
  private func more(about info: RuleInfo) -> [String] {
    let limits = Threshold.limits(of: info, Profile.named(profile) ?? .standard)
    let thresholds =
      limits.isEmpty ? [] : ["  Thresholds (\(profile)): \(limits.joined(separator: "; "))."]
    let evidence = RuleEvidence.lines(of: info.id).map { "    \($0)" }
    let proof = evidence.isEmpty ? [] : ["  Evidence:"] + evidence
    let stories = RuleStories.names(of: info.id)
    guard !stories.isEmpty else { return thresholds + proof }
    let examples = stories.joined(separator: ", ")
    return thresholds + proof + ["  Example recordings (Traces of the source): \(examples)."]
  }

  private func infos(of id: String, in rules: RuleSet) -> [RuleInfo] {
    let id = id.uppercased()
    return rules.infos.filter {
      $0.id == id || ($0.id.hasPrefix(id) && id.allSatisfy(\.isLetter) && !id.isEmpty)
    }
  }

  /// The severity, as wide as the widest.
  private func word(_ info: RuleInfo) -> String {
    let word = "\(info.severity)"
    return word + String(repeating: " ", count: max(0, 7 - word.count))
  }
}
