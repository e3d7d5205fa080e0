// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceReports
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// Every story in `Traces/` and what `check` says about it.
///
/// The name of a story begins with the rule it is about and ends with what
/// becomes of it: `DS01-broken`, `DS01-kept`, `DS01-undecidable`. Its golden shows that rule alone,
/// and those that its first line names, `# with: DL02`; what all others say of the stories stands
/// in one golden, `Traces/all-rules.txt`. So a new rule changes no golden of another.
@Suite struct StoryGoldenTests {
  static let stories = Golden.stories(with: "story.txt")

  @Test(arguments: stories)
  func checkSaysWhatItShould(_ folder: String) throws {
    let text = try #require(Golden.text("\(folder)/story.txt"))
    let facts = StoryCheck.facts(
      try Story.parse(text),
      named: "trace.lifetrace",
      try RuleSelection(Golden.rules(of: folder, text))
    )
    #expect(Golden.difference(facts.text(), "\(folder)/check.txt") == nil)
  }

  /// Which other rules a story breaks, or leaves in doubt: a line each, none where it is silent.
  @Test func whatAllRulesSayOfEachStory() throws {
    var lines: [String] = []
    for folder in Self.stories {
      let text = try #require(Golden.text("\(folder)/story.txt"))
      let own = try RuleSelection(Golden.rules(of: folder, text))
      for verdict in StoryCheck.checker(try Story.parse(text)).finish()
      where !own.contains(verdict.rule) {
        switch verdict.outcome {
        case .held, .vacuous: continue
        case .violated, .undecidable:
          lines.append(
            "\(folder.dropFirst("Traces/".count)): \(verdict.rule) \(verdict.outcome.word): \(verdict.title)"
          )
        }
      }
    }
    #expect(
      Golden.difference(lines.joined(separator: "\n") + "\n", "Traces/all-rules.txt") == nil
    )
  }

  /// One golden names every rule, as `check --verbose` does: that of the tour.
  @Test func verboseNamesTheRules() throws {
    let story = try Story.parse(try #require(Golden.text("Traces/tour/recording.txt")))
    let text = StoryCheck.facts(story, named: "tour.lifetrace").text(verbose: true)
    #expect(Golden.difference(text, "Traces/tour/check.txt") == nil)
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

  /// What is delivered late is no excuse for words such as *-10 ms after*.
  @Test(arguments: stories)
  func noLengthOfTimeIsNegative(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    for verdict in StoryCheck.checker(story).finish() {
      for part in ([verdict.title, verdict.advice] + verdict.details).flatMap(\.parts) {
        if case .duration(let length, _) = part { #expect(length >= 0, "\(verdict)") }
      }
    }
  }

  /// An event with an earlier time than one before it has been delivered late, and is marked so.
  @Test(arguments: stories)
  func timesGoBackOnlyWhereTheyAreLate(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    // That clock jumps: it is what the story is about.
    guard folder != "Traces/MS04-undecidable" else { return }
    for writer in story.writers {
      var latest = HostTime(rawValue: .min)
      for event in writer.events {
        #expect(event.time >= latest || event.flags.contains(.late), "\(event)")
        latest = max(latest, event.time)
      }
    }
  }

  /// Stories in which one rule is kept and another broken, each with the reason.
  private static let kept = [
    "DS08-kept-under-way": [
      "DS01": "the suspension comes into the save", "DS03": "no background task covers it",
    ],
    "DS14-kept-swap": ["DS02": "the edit is lost, and its bytes stand where they were set aside"],
    "PR05-kept": ["DL11": "the watchdog's kill is what it counts"],
    "SY01-kept-call": ["DL12": "it says why the system kills"],
    "SY01-kept-explained": ["DL02": "it says why the system kills"],
    "SY01-kept-graphics": ["MT07": "it says why the system kills"],
    "SY01-kept-task": ["DL05": "it says why the system kills", "BT01": "the task is not ended"],
    "SY01-kept-transition": [
      "DL04": "it says why the system kills", "MT09": "the wait is why",
    ],
  ]

  /// An app that is right by one rule is right by all.
  @Test(arguments: stories.filter { $0.contains("-kept") })
  func whatIsKeptIsAccusedOfNothing(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let known = Self.kept[String(folder.dropFirst("Traces/".count))] ?? [:]
    let errors = StoryCheck.checker(story).finish()
      .filter { $0.outcome == .violated && $0.severity == .error }
    #expect(Set(errors.map(\.rule)) == Set(known.keys), "\(errors)")
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

  /// `lifetrace rules ID` names them.
  @Test func theToolKnowsTheStories() throws {
    let file = "Sources/Reports/Text/RuleStories.swift"
    let text = try #require(Golden.text(file))
    let names = Self.stories.map { "    \($0.dropFirst("Traces/".count))\n" }.joined()
    let parts = text.split(separator: "\"\"\"", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    let quotes = "\"\"\""
    let wanted = "\(parts[0])\(quotes)\n\(names)    \(quotes)\(parts[2])"
    #expect(Golden.difference(wanted, file) == nil)
  }

  /// Some rules look at one event, which is there or not: there is nothing to doubt.
  private static func canBe(_ outcome: String, _ rule: String) -> Bool {
    outcome != "undecidable" || !["BT07", "MT04", "RS20", "ST09", "ST15"].contains(rule)
  }
}

/// Checks stories without writing them to a file.
enum StoryCheck {
  static func checker(_ story: Story, _ rules: RuleSelection = .all) -> Checker {
    Judgement(rules: rules).checker(of: story.source)
  }

  static func facts(
    _ story: Story,
    named file: String,
    _ rules: RuleSelection = .all
  ) -> CheckFacts {
    let clocks = Alignment(story.source).clocks
    let writers = zip(story.writers, clocks).map { writer, clock in
      let wall = writer.attributes.evidence == .log ? WallClock(of: writer.attributes) : nil
      return CheckFacts.Writer(writer.label, clock: clock, wall: wall)
    }
    var facts = CheckFacts(checker(story, rules), named: file, writers: writers)
    facts.findCauses(in: Player(Timeline(story.source)))
    return facts
  }
}
