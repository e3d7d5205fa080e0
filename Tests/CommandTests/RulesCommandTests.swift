// SPDX-License-Identifier: Apache-2.0
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

  @Test func whatIsNoRuleIsSaid() {
    let result = run("DS99")
    #expect(result.status == 64)
    #expect(result.output.contains("there is no rule DS99"), "\(result.output)")
  }
}
