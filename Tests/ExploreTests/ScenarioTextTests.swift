// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import Testing

/// Scenarios that are written down read as the same scenarios.
@Suite struct ScenarioTextTests {
  @Test("Every step of the manual, and every key, reads back as it was")
  func roundTrip() throws {
    let head = """
      profile: ios7
      time-scale: 0.1
      seed: 7
      multitasking: false
      app-group: "group of ours"
      disk: 32MiB
      suspend-by: freezer
      suspend-after: 400ms
      app: app
      steps:

      """
    let steps = StepName.allCases.flatMap(\.examples).filter {
      // Of what repeats and chooses, the flat form is written.
      !$0.hasPrefix("- repeat") && !$0.hasPrefix("- choose")
    }
    #expect(steps.count > 60)
    let scenario = try Scenario(
      parsing: head + steps.joined(separator: "\n") + "\n",
      file: "all.yml"
    )
    let again = try Scenario(parsing: scenario.yaml(["of everything"]), file: "again.yml")
    #expect(again.steps.map(\.name) == scenario.steps.map(\.name))
    for (one, other) in zip(scenario.steps, again.steps) {
      #expect(one.arguments == other.arguments, "\(one.name)")
    }
    #expect(again.diskBytes == scenario.diskBytes && again.timeScale == scenario.timeScale)
    #expect(again.appGroup == scenario.appGroup && again.seed == scenario.seed)
    #expect(again.profile == scenario.profile && again.suspendBy == scenario.suspendBy)
    #expect(again.suspendAfter == 400_000_000 && scenario.suspendAfter == 400_000_000)
    #expect(again.yaml() == scenario.yaml())
  }

  @Test("Words that no file has are written so that they are read as they are")
  func words() throws {
    for text in [
      "a \"b\" c", "tab\there", "- x", "{a: b}", "#", "ä\u{7f}", "1e3", "null", "", "a: b",
    ] {
      var scenario = Scenario(file: "")
      scenario.apps = [.init(name: "app"), .init(name: "other", command: ["./other", text])]
      scenario.steps = try Scenario(
        parsing: "apps: [app, other]\nsteps:\n- tell: {app: other, edit: x}\n",
        file: ""
      ).steps
      scenario.steps[0].arguments[1].value = text
      let again = try Scenario(parsing: scenario.yaml(), file: "again.yml")
      #expect(again.steps[0]["edit"] == text, "\(scenario.yaml())")
      #expect(again.apps[1].command.last == text)
    }
  }

  @Test(
    "An end behind an event that cannot be is answered with one that can",
    arguments: [
      ("ends: purge", "`ends` needs `after`"), ("after: 3", "`after` goes with `ends`"),
      ("ends: purge, after: 0", "there is no event `0`"),
      ("ends: purge, after: draft.txt.flushd", "there is no event `draft.txt.flushd`"),
      ("ends: purge, after: data.durabel", "did you mean `data.durable`?"),
      ("ends: melt, after: 3", "there is no ends `melt`"),
    ]
  )
  func wrongEnds(_ words: String, _ answer: String) throws {
    let problems = Scenario.problems(in: "steps:\n- launch: {\(words)}\n")
    #expect(problems.count == 1)
    #expect(problems.first?.text(file: "x").contains(answer) == true, "\(problems)")
  }
}
