// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceRules
import Support
import TestThreads
import Testing

@Suite(.waits) struct RulesCommandTests {
  private func run(_ words: String) -> (status: Int32, output: String) {
    shell("lifetrace rules \(words)")
  }

  @Test func everyRuleIsListed() {
    let result = run("")
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == RuleTable.infos.count)
    for info in RuleTable.infos {
      let line = lines.first { $0.hasPrefix(info.id) }
      #expect(line?.hasSuffix(info.statement) == true, "\(info.id)")
    }
  }

  @Test func oneRuleIsExplained() throws {
    let info = try #require(RuleTable.info("DS02"))
    let result = run("ds02")
    #expect(result.status == 0)
    for text in [info.statement, info.source, info.fix] {
      #expect(result.output.contains(text), "\(result.output)")
    }
    #expect(run("DS").output.contains("DS01"))
  }

  @Test func thresholdsAreThoseOfTheConfiguration() throws {
    let lines = run("--thresholds").output.split(separator: "\n")
    #expect(lines.count == Threshold.all.count + 1)
    for (threshold, line) in zip(Threshold.all, lines.dropFirst()) {
      #expect(line.hasPrefix(threshold.name + " ") && line.hasSuffix(threshold.summary), "\(line)")
      let value =
        switch threshold.measure {
        case .time: "{warn: 0.5, kill: 700}"
        case .bytes: "20MB"
        case .share: "0.7"
        case .count: "5"
        }
      let text = "profile: ios13\nthresholds:\n  \(threshold.name): \(value)\n"
      #expect(Configuration.problems(in: text).isEmpty, "\(threshold.name)")
    }
    #expect(lines.contains { $0.hasPrefix("background-task     30 s       30 s ") }, "\(lines)")
    #expect(run("--thresholds --profile ios7").output.contains("background-task     3 min"))
    #expect(run("--thresholds --profile ios99").status == 64)
  }

  /// Wherever an id is given: to `rules`, to `--rules`, and in lifetrace.yml.
  @Test(arguments: [
    ("DS2", "did you mean DS02?"), ("ds-02", "did you mean DS02?"), ("DS002", "did you mean DS02?"),
    ("DS99", "there is: DS01, DS02, "), ("BX13", "did you mean BT13?"),
    ("QQ77", "lifetrace rules lists them"),
  ])
  func aWrongIdIsMendedOrItsFamilyListed(id: String, advice: String) throws {
    let folder = try TestFolder()
    for (line, code) in [
      ("lifetrace rules \(id)", 64), ("lifetrace check --rules \(id) nothing", 64),
      ("printf 'off: {\(id): r}\\n' > lifetrace.yml; lifetrace check nothing", 78),
      (
        "printf 'suppress:\\n- {rule: \(id), reason: r}\\n' > lifetrace.yml; lifetrace check nothing",
        78
      ),
    ] {
      let result = shell("\(line) 2>&1", in: folder)
      #expect(result.output.contains(advice), "\(line): \(result.output)")
      #expect(result.status == Int32(code), "\(line): \(result.output)")
    }
  }

  @Test func limitsAndStoriesOfARuleAreShown() {
    let lock = run("RS05").output
    #expect(lock.contains("Thresholds (ios13): protected-files 10 s."), "\(lock)")
    #expect(lock.contains("Example recordings (Traces of the source): RS05-broken, "), "\(lock)")
    #expect(run("DL05 --profile ios7").output.contains("(ios7): background-task 3 min; "))
    for info in RuleTable.infos {
      for name in info.thresholds {
        #expect(Threshold.all.contains { $0.name == name }, "\(info.id) reads \(name)")
      }
    }
  }

  @Test func whatIsNoRuleIsSaid() {
    let result = run("DS99")
    #expect(result.status == 64)
    #expect(result.output.contains("there is no rule DS99"), "\(result.output)")
  }
}
