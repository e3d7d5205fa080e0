// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceRules
import Support
import Testing
import LifetraceTrace

/// Every story in `Traces/` and what `check` says about it.
///
/// The name of a story begins with the rule it is about and ends with what
/// becomes of it: `DS01-broken`, `DS01-kept`, `DS01-undecidable`.
@Suite struct StoryGoldenTests {
  static let stories = Golden.stories(with: "story.txt")

  @Test(arguments: stories)
  func checkSaysWhatItShould(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let report = StoryCheck.report(story)
    let text = report.text(file: "trace.lifetrace")
    #expect(Golden.difference(text, "\(folder)/check.txt") == nil)
  }

  @Test(arguments: stories)
  func theOutcomeIsInTheName(_ folder: String) throws {
    let parts = folder.dropFirst("Traces/".count).split(separator: "-")
    try #require(parts.count >= 2)
    let info = try #require(RuleTable.info(String(parts[0])), "no such rule")
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let counts = StoryCheck.checker(story).counts.filter { $0.rule == info.id }
    let (violated, undecidable, held) = counts.reduce((0, 0, 0)) {
      ($0.0 + $1.violated, $0.1 + $1.undecidable, $0.2 + $1.held)
    }
    switch parts[1] {
    case "broken": #expect(violated > 0)
    case "kept": #expect(violated == 0 && undecidable == 0 && held > 0)
    case "undecidable": #expect(violated == 0 && undecidable > 0)
    default: Issue.record("\(folder): end it with -broken, -kept or -undecidable")
    }
  }

  @Test func everyRuleHasThreeStories() {
    for info in RuleTable.infos {
      for outcome in ["broken", "kept", "undecidable"] where Self.canBe(outcome, info.id) {
        #expect(
          Self.stories.contains { $0.hasPrefix("Traces/\(info.id)-\(outcome)") },
          "\(info.id) \(outcome)"
        )
      }
    }
  }

  /// Some rules look at one event, which is there or not: there is nothing to doubt.
  private static func canBe(_ outcome: String, _ rule: String) -> Bool {
    outcome != "undecidable" || !["BT07", "MT04"].contains(rule)
  }
}

/// Checks stories without writing them to a file.
enum StoryCheck {
  static func checker(_ story: Story) -> Checker {
    var checker = Checker()
    checker.run(story.writers.map { ($0.id, $0.attributes) }, names: { story.names }) {
      index,
      checker in
      for event in story.writers[index].events { checker.apply(event, names: story.names) }
    }
    return checker
  }

  static func report(_ story: Story) -> CheckReport {
    let first = story.writers.flatMap(\.events).map(\.time).min() ?? HostTime(rawValue: 0)
    return CheckReport(
      checker(story),
      labels: story.writers.map(\.label),
      epochs: story.writers.map { _ in first },
      walls: story.writers.map {
        $0.attributes.evidence == .log ? WallClock(of: $0.attributes) : nil
      }
    )
  }
}
