// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceHypotheses

/// The slack that is told is the slack there is: a microsecond less changes nothing, one more changes
/// what the rule says, in every story.
@Suite struct SlackTests {
  /// In one of the stories an event stops the clocks of two tasks: who moves it moves both.
  static let stories = Golden.stories(with: "story.txt").filter { $0 != "Traces/BT01-broken-twins" }

  @Test("One time is moved by the margin, and the verdict changes there", arguments: stories)
  func shifts(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    for row in try Self.rows(of: story) { _ = try check(row, story, folder) }
  }

  /// Rows that cannot be moved alone are passed over: most can.
  @Test("Most margins that have a begin are moved")
  func mostAreMoved() throws {
    var (movable, moved) = (0, 0)
    for folder in Self.stories {
      let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
      let rows = try Self.rows(of: story)
      movable += rows.count { $0.change != nil && $0.margin.begin != nil }
      moved += try rows.count { try check($0, story, folder) }
    }
    print("\(moved) of \(movable) margins are moved")
    #expect(movable >= 2_000)
    #expect(moved * 100 >= movable * 95, "\(moved) of \(movable)")
  }

  @Test("Every rule that has a limit is among them")
  func everyRule() throws {
    var measured: Set<String> = []
    for folder in Self.stories {
      let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
      measured.formUnion(try Self.rows(of: story).filter { $0.change != nil }.map(\.rule))
    }
    let missing = RuleTable.infos.filter { !$0.thresholds.isEmpty && !measured.contains($0.id) }
    #expect(Set(missing.map(\.id)) == Set(Self.unmeasured.keys), "\(missing.map(\.id))")
  }

  /// Rules with a limit that decide by more than one length, or by none, with the reason.
  private static let unmeasured = [
    "BT01": "what was left of the task's time only settles whether its end may still have come",
    "BT10": "work goes on for a moment behind the end of its task, and a length only excuses that",
    "BT11": "a task that expires is idle by what ran, not by a length",
    "BT13": "what is left of a task's time is compared with what the app asked for",
    "DS02": "how soon a save began only makes a note of the loss",
    "MS01": "work goes on for a moment behind the end of its task, and a length only excuses that",
    "NQ05": "it is about a thread and an order",
    "NQ04": "it is about an order, and a length only excuses it",
    "PR04":
      "it is about what was begun anew behind an interruption, and a length only settles when",
    "RS01": "a length only tells what a timer drew when it fired",
    "RS03": "two rates of frames are compared",
    "RS08": "sizes of memory are compared",
    "RS13": "sizes of memory are compared",
    "RS20": "chains are counted",
    "RS25": "ticks are counted",
  ]

  /// What was kept nearest, and what is broken.
  private static func rows(of story: Story) throws -> [Slack.Row] {
    let timeline = Timeline(story.source)
    let judgement = Judgement()
    var rows = try Slack(timeline, by: judgement).rows
    for finding in try Findings(timeline, by: judgement).violations {
      rows += try Slack(of: finding, by: judgement, on: timeline).rows
        .filter { $0.margin.isKept != true }
    }
    return rows
  }

  /// Whether the row was moved: others are about no length, or not alone.
  private func check(_ row: Slack.Row, _ story: Story, _ folder: String) throws -> Bool {
    guard let change = row.change, row.margin.begin != nil else { return false }
    let writer = Int(row.margin.stream.rawValue)
    // There the times of a log say how exact they are: another time has another exactness.
    guard story.writers[writer].attributes.evidence != .log else { return false }
    let microsecond: Int64 = 1_000
    let (within, beyond) = (change.lowerBound - microsecond, change.upperBound + microsecond)
    let isKept = row.margin.isKept == true
    let what: Comment =
      "\(folder): \(row.rule) at \(writer):\(row.margin.sequence), \(row.margin)"
    // Of several things that one event stops, another may be broken.
    guard try outcome(row, story, shift: 0) == (isKept ? .held : .violated) else { return false }
    #expect(
      try outcome(row, story, shift: isKept ? within : -within) == (isKept ? .held : .violated),
      what
    )
    #expect(
      try outcome(row, story, shift: isKept ? beyond : -beyond) == (isKept ? .violated : .held),
      what
    )
    return true
  }

  /// What the rule says of that event when it comes so much later.
  private func outcome(_ row: Slack.Row, _ story: Story, shift: Int64) throws -> Verdict.Outcome {
    var story = story
    let writer = Int(row.margin.stream.rawValue)
    let index = try #require(
      story.writers[writer].events.firstIndex { $0.sequence == row.margin.sequence }
    )
    let time = story.writers[writer].events[index].time
    story.writers[writer].events[index].time = time.advanced(by: shift)
    var judge = Judge(story.source, Checker(rules: try RuleSelection(row.rule)))
    judge.collectPlaces()
    judge.judge(judge.source.lives)
    var checker = judge.checker
    let places = checker.takePlaces().filter {
      $0.place.stream == row.margin.stream && $0.place.sequence == row.margin.sequence
    }
    if places.contains(where: \.place.isViolation) { return .violated }
    return places.isEmpty ? .held : .undecidable("")
  }
}
