// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
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
    var mayNameAKill: Bool { ["RS06", "MT07", "MT09"].contains(rule) || rule.hasPrefix("DL") }
  }

  private func violations(
    _ story: Story,
    without hole: (writer: Int, events: Range<Int>)?,
    _ behind: Behind
  ) -> [Breach] {
    let holed = HoledStory(story: story, hole: hole, hasFacts: behind == .facts)
    return Judgement().checker(of: holed).finish().filter { $0.outcome == .violated }.map {
      Breach(rule: $0.rule, stream: $0.stream, sequence: $0.sequence, title: "\($0.title)")
    }
  }
}

/// A story of which some events are missing, as if a chunk could not be read.
private struct HoledStory: JudgedSource {
  let story: Story
  let hole: (writer: Int, events: Range<Int>)?
  /// Whether the chunk behind the hole carries the facts.
  let hasFacts: Bool

  var names: Names { story.names }

  /// Nil: none of these stories is about them.
  var messages: RecordedMessages? { nil }
  var sharedData: SharedData? { nil }

  var writers: [(id: WriterID, attributes: WriterAttributes)] {
    story.writers.map { ($0.id, $0.attributes) }
  }

  func summaries(of stream: Int) -> [ChunkSummary] { parts(of: stream).map(summary) }

  func open(_ chunk: Int, of stream: Int) -> ArraySlice<Event>? { parts(of: stream)[chunk] }

  /// Folded from the beginning of the life, over the hole.
  func facts(in chunk: ArraySlice<Event>) -> LifeState? {
    guard let hole, hasFacts, chunk.startIndex == hole.events.upperBound else { return nil }
    var state = LifeState()
    let life = lives.first { $0.incarnations.contains { $0.index == hole.writer } }
    for incarnation in life?.incarnations ?? [] {
      if incarnation.number > 1 { state.beginIncarnation(after: state, names: names) }
      let events = story.writers[incarnation.index].events
      let isHoled = incarnation.index == hole.writer
      for event in events[..<(isHoled ? hole.events.upperBound : events.count)] {
        state.apply(event, names: names)
      }
      if isHoled { break }
    }
    return state
  }

  func scan(_ chunk: ArraySlice<Event>, _ body: (Span<Event>) -> Bool) -> Bool {
    _ = body(chunk.span)
    return true
  }

  private func parts(of stream: Int) -> [ArraySlice<Event>] {
    let events = story.writers[stream].events
    guard let hole, hole.writer == stream else { return [events[...]] }
    let parts = [events[..<hole.events.lowerBound], events[hole.events.upperBound...]]
    return parts.filter { !$0.isEmpty }
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
