// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceComparison
import LifetraceInterop
import LifetraceJudging
import LifetraceTimeline
import Support
import Testing

/// What differs between two recordings, told by what happened.
@Suite struct RunComparisonTests {
  private func text(_ story: String) throws -> String {
    try #require(Golden.text("Traces/\(story)/story.txt"))
  }

  private func compare(_ left: String, _ right: String) throws -> RunComparison {
    let timelines = try [left, right].map { Timeline(try Story.parse($0).source) }
    return RunComparison(timelines[0], timelines[1], by: Judgement())
  }

  @Test("A story does not differ from itself", arguments: Golden.stories(with: "story.txt"))
  func equal(story: String) throws {
    let text = try #require(Golden.text(story + "/story.txt"))
    let found = try compare(text, text)
    #expect(found.isEqual, "\(found.lines("a", "b").joined(separator: "\n"))")
  }

  /// Whatever is taken away, but for what is never compared.
  @Test func eachEventThatIsMissingIsADifference() throws {
    let whole = try text("DS02-broken")
    let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
    var count = 0
    for (index, line) in lines.enumerated() where line.hasPrefix("+") {
      // A begin without its end is another story.
      if line.contains("callback.") { continue }
      var fewer = lines
      fewer.remove(at: index)
      let found = try compare(whole, fewer.joined(separator: "\n"))
      #expect(found.differences.allSatisfy { $0.rightCount == 0 }, "\(line)")
      #expect(found.differences.map(\.leftCount).reduce(0, +) == 1, "\(line)")
      count += 1
    }
    #expect(count >= 15)
  }

  /// That nothing differs is said of what was compared, with how much was not.
  @Test func whatIsNotComparedIsSaid() throws {
    func story(_ count: Int, _ extra: String = "") -> String {
      let lines = (0..<count).map { "+2s a#1 main log text=\"line \($0)\" level=info" }
      return "app a#1\n+0s a#1 main process.start reason=icon app=a\n"
        + "+1s a#1 main data.dirty d version=1 bytes=3\n\(extra)"
        + lines.joined(separator: "\n") + "\n"
    }
    let alike = try compare(story(500), story(500)).lines("a", "b")
    #expect(
      alike.suffix(2) == [
        "No difference in what is compared: 1 launch, 2 of 502 events compared in each.",
        "Not compared, in each: 500 log.",
      ],
      "\(alike)"
    )
    let fewer = try compare(story(500), story(400)).lines("a", "b")
    #expect(
      fewer.suffix(3) == [
        "No difference in what is compared: 1 launch, 2 of 502 events compared of the first, "
          + "2 of 402 events of the second.",
        "Not compared, -: 500 log.", "Not compared, +: 400 log.",
      ],
      "\(fewer)"
    )
    let saved = "+1.5s a#1 main data.durable d version=1 level=kernel\n"
    let other = try compare(story(500), story(500, saved)).lines("a", "b")
    #expect(
      other.contains(
        "Looked at: 2 of 502 events compared of the first, 3 of 503 events of the second."
      ),
      "\(other)"
    )
    let most = try compare(story(1), story(1)).lines("a", "b")
    #expect(most.contains { $0.hasPrefix("No difference: 1 launch") }, "\(most)")
  }

  /// Times and numbers of processes are another run's.
  @Test func aSlowerMachineDoesTheSame() throws {
    let story = try text("DS02-kept")
    let slower = story.replacing(#/\+([0-9.]+)s /#) { "+\((Double($0.1) ?? 0) * 1.05)s " }
      .replacing("pid=12", with: "pid=4711")
    #expect(slower != story)
    let found = try compare(story, slower)
    #expect(found.isEqual, "\(found.lines("a", "b").joined(separator: "\n"))")
  }

  @Test func theSaveThatIsMissingIsNamedAndTheLossIsNew() throws {
    let kept = try text("DS02-kept")
    let found = try compare(kept, text("DS02-broken"))
    #expect(found.newVerdicts.contains { $0.rule == "DS02" })
    let about = found.differences.filter { $0.lane == "draft.txt" }
    #expect(about.contains { $0.right.contains { $0.sentence.description.contains("version 2") } })
    let lines = found.lines("kept", "broken").joined(separator: "\n")
    #expect(lines.contains("+ error DS02"), "\(lines)")
  }

  @Test("A save that wrote other bytes than its version has is a difference, its size is none")
  func otherBytes() throws {
    func life(_ saved: String) -> String {
      """
      app notes#1 pid=12 profile=ios13
      +0s   notes#1 main process.start reason=icon app=notes
      +1s   notes#1 main data.dirty draft.txt version=1 bytes=3 hash=0x11
      +2s   notes#1 main data.flushing draft.txt version=1 bytes=3
      +2.1s notes#1 main data.durable draft.txt version=1 level=disk \(saved)
      """
    }
    let good = life("bytes=3 hash=0x11")
    #expect(try compare(good, life("bytes=9 hash=0x11")).differences.isEmpty)
    let found = try compare(good, life("bytes=2 hash=0x22"))
    let told = found.differences.flatMap(\.right).map(\.sentence.description)
    #expect(
      told == ["draft.txt version 1 has reached the disk, in other bytes than its edit had"]
    )
  }

  /// What both have before it may be long ago: the event itself says where they part.
  @Test func theyPartAtTheFirstEventThatOnlyOneHas() throws {
    let lost = """
      app notes#1
      +0s notes#1 main process.start reason=icon app=notes
      +1s notes#1 main data.dirty a version=1 bytes=1
      +2s notes#1 main mark calm

      """
    let fixed = """
      app notes#1
      +0s notes#1 main process.start reason=icon app=notes
      +1s notes#1 main data.dirty a version=1 bytes=1
      +2s notes#1 main mark calm
      +3s notes#1 main task.begin id=7 name=flush granted=30s handler=true
      +4s notes#1 main data.durable a version=1 level=disk

      """
    let there = try compare(lost, fixed).lines("lost", "fixed").last
    #expect(there == "Where they part: lifetrace replay fixed -e \"goto 4\"")
    #expect(try compare(fixed, lost).lines("fixed", "lost").last == there)
  }

  @Test func aHangIsSlower() throws {
    let story = try text("DS02-broken")
    let hung = story.replacing(
      "+2.314s  notes#1 main callback.end",
      with: "+2.49s  notes#1 main callback.end"
    )
    #expect(hung != story)
    let found = try compare(story, hung)
    #expect(found.slower.map(\.what) == ["applicationDidEnterBackground:"])
    #expect(found.slower.first?.right == 179_000_000)
    #expect(try compare(hung, story).faster.map(\.what) == ["applicationDidEnterBackground:"])
  }
}
