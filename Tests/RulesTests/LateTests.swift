// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceRules
import LifetraceTrace
import Support
import Testing

/// What another thread has emitted may be delivered behind events of later times: it keeps its time,
/// and no rule takes its place in the recording for that.
@Suite struct LateTests {
  /// So many events of other threads it is delivered behind, at most.
  private static let placesMax = 3

  /// Stories in which a late delivery does make a new error, each with the reason.
  private static let known = [
    "BT02-kept": "the id is given out again before the end of the first task is heard of",
    "BT11-broken-save": "the beginning of the save is heard of behind its end",
  ]

  @Test(arguments: StoryGoldenTests.stories)
  func aLateDeliveryMakesNoNewError(_ folder: String) throws {
    guard Self.known[String(folder.dropFirst("Traces/".count))] == nil else { return }
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let whole = Set(errors(story).map(\.rule))
    for (index, writer) in story.writers.enumerated() {
      for (place, event) in writer.events.enumerated()
      where event.thread != .main && event.observer == .own && !event.flags.contains(.late) {
        for distance in 1...Self.placesMax {
          guard let late = late(story, index, place, by: distance) else { break }
          let new = errors(late).filter { !whole.contains($0.rule) }
          #expect(new.isEmpty, "\(writer.label):\(place) late by \(distance)")
        }
      }
    }
  }

  private func errors(_ story: Story) -> [Verdict] {
    Judgement().checker(of: story.source).finish().filter {
      $0.outcome == .violated && $0.severity == .error
    }
  }

  /// The story with one event delivered that many places later.
  ///
  /// Nil where none stands there; where one of its own thread does, whose events keep their order; and
  /// where the app has stopped by then: what a stopped thread had not handed over yet is no verdict's
  /// business, but the recorder's.
  private func late(_ story: Story, _ index: Int, _ place: Int, by distance: Int) -> Story? {
    var story = story
    var events = story.writers[index].events
    let end = place + distance
    guard end < events.count,
      !events[(place + 1)...end].contains(where: {
        $0.thread == events[place].thread || [.suspend, .purge, .processExit].contains($0.kind)
      })
    else { return nil }
    var event = events.remove(at: place)
    if events[end - 1].time > event.time { event.flags.insert(.late) }
    events.insert(event, at: end)
    for number in events.indices { events[number].sequence = UInt64(number) }
    story.writers[index].events = events
    return story
  }
}
