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

  /// A thread that a suspension stops before it could commit an event does so behind the resume.
  @Test(arguments: StoryGoldenTests.stories)
  func whatASuspensionDelaysMakesNoNewError(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    for (index, writer) in story.writers.enumerated() {
      for (place, event) in writer.events.enumerated()
      where event.thread != .main && event.observer == .own && !event.flags.contains(.late) {
        guard let (resumed, late) = delayed(story, index, place) else { continue }
        let known = Set(judged(resumed).filter { $0.outcome != .held }.map(\.rule))
        let new = errors(late).filter { !known.contains($0.rule) }
        #expect(new.isEmpty, "\(writer.label):\(place)")
      }
    }
  }

  private func errors(_ story: Story) -> [Verdict] {
    judged(story).filter { $0.outcome == .violated && $0.severity == .error }
  }

  /// What is said of rules that had an occasion.
  private func judged(_ story: Story) -> [Verdict] {
    Judgement().checker(of: story.source).finish().filter { $0.outcome != .vacuous }
  }

  /// The story, resumed where it ends suspended, and the same with one event delivered behind the resume.
  ///
  /// Nil where the app is not suspended next, or not resumed, and where its thread says more before it is.
  private func delayed(_ story: Story, _ index: Int, _ place: Int) -> (whole: Story, late: Story)? {
    var (whole, late) = (story, story)
    var events = story.writers[index].events
    let turning: [EventKind] = [.suspend, .resume, .transition, .purge, .processExit]
    guard
      let asleep = events[(place + 1)...].firstIndex(where: { turning.contains($0.kind) }),
      events[asleep].kind == .suspend,
      // A thread that is stopped there does nothing more before.
      !events[(place + 1)...].contains(where: {
        $0.thread == events[place].thread && $0.time <= events[asleep].time
      })
    else { return nil }
    if let next = events[(asleep + 1)...].firstIndex(where: { turning.contains($0.kind) }) {
      guard events[next].kind == .resume else { return nil }
    } else {
      let time = HostTime(rawValue: events[events.count - 1].time.rawValue + 1_000_000_000)
      let resume = Payload.Resume(reason: .empty, evidence: .empty)
      events.append(Event(resume, at: time, observer: .host))
    }
    whole.writers[index].events = Self.numbered(events)
    let resumed = events[asleep...].firstIndex { $0.kind == .resume } ?? asleep
    var event = events.remove(at: place)
    event.flags.insert(.late)
    events.insert(event, at: resumed)
    late.writers[index].events = Self.numbered(events)
    return (whole, late)
  }

  private static func numbered(_ events: [Event]) -> [Event] {
    var events = events
    for number in events.indices { events[number].sequence = UInt64(number) }
    return events
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
    story.writers[index].events = Self.numbered(events)
    return story
  }
}
