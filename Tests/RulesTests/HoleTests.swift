// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace
import Support
import Testing

/// Where events are missing, nothing is claimed that all events together would not bear out.
@Suite struct HoleTests {
  /// What is known behind the missing events.
  enum Behind: CaseIterable {
    /// The facts: a chunk with a keyframe follows.
    case facts
    /// That numbers are missing.
    case numbers
  }

  @Test(arguments: StoryGoldenTests.stories)
  func aHoleMakesNoNewViolation(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let whole = violations(story, without: nil, .facts)
    for (index, writer) in story.writers.enumerated() {
      let count = writer.events.count
      for first in 0..<count {
        // Short holes, and the one to the last event.
        let ends = Set([1, 2, 3, 5, 8].map { min(first + $0, count - 1) } + [count - 1])
        for end in ends where end > first {
          for behind in Behind.allCases {
            // A simulation is recorded in memory, and whole: what it says of itself is not lost alone.
            let hidden = writer.events[first..<end]
            if behind == .numbers, hidden.contains(where: { $0.kind == .processConfig }) {
              continue
            }
            let found = violations(story, without: (index, first..<end), behind)
            // Some rules tell the first of several events only: then it may be a later one.
            let new = found.filter { breach in
              !whole.contains {
                $0.stream == breach.stream
                  && ($0.rule == breach.rule || breach.rule == "SY01" && $0.mayNameAKill)
              }
            }
            #expect(new.isEmpty, "\(writer.label) without \(first)..<\(end), \(behind)")
          }
        }
      }
    }
  }

  /// A rule that is broken, and where: the event that breaks it.
  struct Breach: CustomStringConvertible {
    var rule: String
    var stream: StreamID
    var sequence: UInt64
    var title: String
    var description: String { "\(rule) at \(sequence): \(title)" }
    /// That the system has killed stays so, whatever is missing of the reason that the rule names.
    var mayNameAKill: Bool { rule == "RS06" || rule.hasPrefix("DL") }
  }

  private func violations(
    _ story: Story,
    without hole: (writer: Int, events: Range<Int>)?,
    _ behind: Behind
  ) -> [Breach] {
    var checker = Checker()
    checker.run(story.writers.map { ($0.id, $0.attributes) }, names: { story.names }) {
      index,
      checker in
      let events = story.writers[index].events
      guard let hole, hole.writer == index else {
        for event in events { checker.apply(event, names: story.names) }
        return
      }
      if hole.events.lowerBound > 0 {
        checker.enter(summary(events[..<hole.events.lowerBound])) { nil }
      }
      var facts = checker.state
      for (number, event) in events.enumerated() {
        if number == hole.events.upperBound {
          let chunk = summary(events[number...])
          checker.enter(chunk) { behind == .facts ? facts : nil }
        }
        facts.apply(event, names: story.names)
        if !hole.events.contains(number) { checker.apply(event, names: story.names) }
      }
    }
    return checker.finish().filter { $0.outcome == .violated }.map {
      Breach(rule: $0.rule, stream: $0.stream, sequence: $0.sequence, title: $0.title)
    }
  }

  private func summary(_ events: ArraySlice<Event>) -> ChunkSummary {
    var summary = ChunkSummary(
      firstSequence: events.first?.sequence ?? 0,
      eventCount: events.count,
      firstTime: events.first?.time ?? HostTime(rawValue: 0),
      lastTime: events.last?.time ?? HostTime(rawValue: 0),
      kinds: KindSet(events.map(\.kind)),
      keyframe: .full
    )
    summary.missingBefore = summary.firstSequence
    return summary
  }
}
