// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceRules
import Testing

/// What is said when one rule is broken more often than verdicts are kept.
@Suite struct ManyVerdictsTests {
  /// As many objects as asked for are lost at one end, of which the next launch finds older versions.
  private func story(losing count: Int) -> String {
    var lines = [
      "app a#1", "app a#2 app=a previous=a#1 started=9s",
      "+0s a#1 main process.start reason=icon app=a",
      "+0.01s a#1 main state.transition from=not-running to=active by=host",
    ]
    for object in 1...count { lines.append("+1s a#1 main data.dirty o\(object) version=2 bytes=7") }
    lines.append("+2s a#1 main process.exit cause=crash code=0xb by=recorder")
    lines.append("+9s a#2 main process.start reason=icon app=a")
    for object in 1...count {
      lines.append("+9s a#2 main data.restored o\(object) version=1 bytes=7")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func anErrorBehindManyWarningsIsAnError() throws {
    var lines = [
      "app a#1", "+0s a#1 main process.start reason=icon app=a",
      "+0.01s a#1 main state.transition from=not-running to=inactive by=host",
      "+0.02s a#1 main state.transition from=inactive to=active by=host",
    ]
    for turn in 1...150 {
      lines.append("+\(turn)s a#1 main turn.begin")
      lines.append("+\(turn).3s a#1 main turn.end")
    }
    lines += ["+200s a#1 main turn.begin", "+202s a#1 main turn.end"]
    let story = try Story.parse(lines.joined(separator: "\n") + "\n")
    let facts = StoryCheck.facts(story, named: "x")
    let text = facts.text()
    #expect(facts.worst == .error)
    #expect(text.contains("DL11 error  a#1  +202.000s"), "\(text)")
    #expect(text.contains("  DL11  a#1  +1.300s  150 times, first:"), "\(text)")
    #expect(text.hasSuffix("\n1 error, 150 warnings.\n"), "\(text)")
  }

  @Test(arguments: [2, 100, 101, 250])
  func allDoubtsAreCounted(count: Int) throws {
    var lines = [
      "app a#1 profile=ios13", "+0s a#1 main process.start reason=icon app=a",
      "+0.01s a#1 main state.transition from=not-running to=inactive by=host",
      "+0.02s a#1 main state.transition from=inactive to=active by=host",
    ]
    for id in 1...count {
      lines.append("+1s a#1 main task.begin id=\(id) name=n\(id) handler=true")
    }
    lines += [
      "+2s a#1 main state.transition from=active to=inactive by=host",
      "+2.1s a#1 main state.transition from=inactive to=background by=host",
      "+4s a#1 main state.purge cause=purge by=host",
    ]
    let facts = StoryCheck.facts(try Story.parse(lines.joined(separator: "\n") + "\n"), named: "x")
    for text in [facts.text(), facts.text(verbose: true)] {
      #expect(text.contains("  BT01  a#1  +4.000s  \(count) times, first:"), "\(text)")
    }
  }

  @Test(arguments: [1, 99, 100, 101, 250])
  func whatIsOnlyCountedAddsNothingToAnother(count: Int) throws {
    let checker = StoryCheck.checker(try Story.parse(story(losing: count)))
    let lost = checker.finish().filter { $0.rule == "DS02" && $0.outcome == .violated }
    #expect(lost.count == min(count, 100))
    #expect(checker.counts.first { $0.rule == "DS02" }?.violated == count)
    for verdict in lost {
      let told = verdict.details.filter { "\($0)".contains("The next launch") }
      #expect(told.count == 1, "\(verdict.title): \(told)")
      #expect(verdict.witnesses.filter { $0.label == "found at launch" }.count == 1)
    }
  }
}
