// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace
import Support
import Testing

/// Much that is open at once is judged to the last; where it is more than is kept, that is said.
@Suite struct FullTablesTests {
  private func checker(_ story: Story) -> Checker { Judgement().checker(of: story.source) }

  private func story(_ lines: [String]) throws -> Story {
    try Story.parse(lines.joined(separator: "\n") + "\n")
  }

  private let launch = [
    "app a#1", "+0s a#1 main process.start reason=icon app=a",
    "+0.01s a#1 main state.transition from=not-running to=inactive by=host",
    "+0.02s a#1 main state.transition from=inactive to=active by=host",
  ]

  @Test(arguments: [4_095, 4_096, 10_000])
  func aBreachBehindManyOpenSpansIsFound(count: Int) throws {
    var lines = launch
    for id in 1...count { lines.append("+1s a#1 t2 work.begin \(id) kind=database") }
    lines += ["+2s a#1 main turn.begin", "+5s a#1 main turn.end"]
    for id in (1...count).reversed() { lines.append("+6s a#1 t2 work.end \(id)") }
    let checker = checker(try story(lines))
    #expect(checker.finish().contains { $0.rule == "DL11" && $0.outcome == .violated })
    #expect(checker.lost == 0)
    #expect(!checker.finish().contains { "\($0.outcome)".contains("at once") })
  }

  @Test func whatIsBeyondTheLimitIsUndecidable() throws {
    var lines = launch
    for id in 1...LifeState.openMax { lines.append("+1s a#1 t2 work.begin \(id) kind=database") }
    lines += ["+2s a#1 main turn.begin", "+5s a#1 main turn.end"]
    let checker = checker(try story(lines))
    let doubts = checker.finish().filter { $0.rule == "DL11" && $0.outcome != .held }
    let doubt = try #require(doubts.first)
    #expect("\(doubt.outcome)".contains("open spans at once from a#1:"), "\(doubt.outcome)")
    #expect(checker.counts.first { $0.rule == "DL11" }?.undecidable ?? 0 > 0)
    // A rule that looks at nothing of that kind has nothing to say.
    #expect(checker.counts.first { $0.rule == "DS02" }?.undecidable == 0)
  }

  @Test(arguments: [64, 65, 1000])
  func tasksAreFollowedToTheLast(count: Int) throws {
    var lines = launch
    for id in 1...count { lines.append("+1s a#1 main task.begin \(id) name=n\(id) handler=true") }
    lines += [
      "+2s a#1 main state.transition from=active to=inactive by=host",
      "+2.1s a#1 main state.transition from=inactive to=background by=host",
    ]
    for id in 1...count { lines.append("+3s a#1 main task.end \(id)") }
    let verdicts = checker(try story(lines)).finish()
    let said = verdicts.filter { "\($0.outcome)".contains("at once from a#1:") }
    #expect(said.isEmpty, "\(said)")
  }

  @Test func objectsBeyondTheLimitAreSaid() throws {
    var lines = launch
    for id in 0...LifeState.objectsMax {
      lines.append("+1s a#1 main data.dirty o\(id) version=1 bytes=7")
    }
    lines.append("+2s a#1 main process.exit cause=crash code=0xb by=recorder")
    let checker = checker(try story(lines))
    let words = checker.finish().map { "\($0.outcome)" }
    #expect(words.contains { $0.contains("data objects at once from a#1:") })
    // The loss of one that is followed is as sure as if it were the only one, and no event is lost.
    let losses = checker.counts.first { $0.rule == "DS02" }
    #expect(losses?.violated == LifeState.objectsMax)
    #expect(losses?.undecidable == 1)
    #expect(checker.lost == 0)
  }

  /// The end of a task that there was no room for may be that of one that was begun.
  @Test func anEndBeyondTheLimitIsNoBreach() throws {
    var lines = launch
    for id in 1...(LifeState.openMax + 1) {
      lines.append("+1s a#1 main task.begin id=\(id) name=n\(id) handler=true")
    }
    lines.append("+1.1s a#1 main task.end id=\(LifeState.openMax + 1)")
    let checker = checker(try story(lines))
    let said = checker.finish().filter { $0.rule == "BT02" && $0.outcome == .violated }
    #expect(said.isEmpty, "\(said)")
    #expect(checker.lost == 0)
  }
}
