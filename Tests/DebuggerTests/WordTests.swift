// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords
import Support
import Testing

@testable import LifetraceDebugger
@testable import LifetraceQuery

/// What the screen shows can be found: each word of the line of an event finds that event.
@Suite struct WordTests {
  private static let stories =
    Golden.stories(with: "story.txt").map { $0 + "/story.txt" } + ["Traces/tour/recording.txt"]

  @Test(arguments: stories)
  func eachWordOfALineFindsItsEvent(_ path: String) throws {
    let timeline = Timeline(try Story.parse(try #require(Golden.text(path))).source)
    let player = Player(timeline)
    let session = Session(
      player: player,
      title: path,
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    var filters: [String: EventFilter] = [:]
    var place = timeline.start
    var words = 0
    while let event = timeline.stepForward(&place), words < 400 {
      // The number and the time are what goto takes.
      let cells = session.cells(EventPoint(place: event, number: place.ordinal)).dropFirst(2)
      for word in cells.map(\.text).flatMap({ $0.split(separator: " ") }) {
        let text = word.trimmingPunctuation
        // A sign alone, as in `key = value`, is no word.
        guard text.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
        let filter = try filters[text] ?? session.search(for: text).filter
        filters[text] = filter
        let found =
          filter.streams?.contains(event.stream) != false
          && filter.accepts(timeline.event(at: event), timeline.names)
        #expect(found, "\(path): \(text) does not find \(player.name(of: event))")
        words += 1
      }
    }
  }

  /// Quantities are rounded in lines; a word finds each value that is rounded to it.
  @Test func aRoundedQuantityIsFound() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let value = random.next() >> UInt64(random.below(64))
      for (text, type) in [
        (Quantity.bytes(value), FieldType.bytes), (Quantity.duration(Int64(value >> 1)), .duration),
      ] {
        let bits = type == .bytes ? value : value >> 1
        for word in text.split(separator: " ") {
          let number = NumberWord(word.lowercased())
          #expect(number?.isShown(bits, type) == true, "\(text): \(word) of \(bits)")
        }
      }
    }
  }

  /// It finds no more than lines show, but for words that only some events of a kind say.
  @Test func whatIsNowhereIsNotFound() throws {
    let session = LostDraft().session()
    for text in ["elephant", "t99", "7777", "4.9", "KiB", "notes#9:1"] {
      #expect(throws: CommandError.self, "\(text)") { try session.say("find \(text)") }
    }
    _ = try session.say("goto start")
    for (text, number) in [
      ("suspended", 14), ("purged", 16), ("1,204", 7), ("t0", 0), ("sv", 15), ("background", 9),
    ] where number > 0 {
      _ = try session.say("goto start")
      _ = try session.say("find \(text)")
      #expect(session.player.here.ordinal == number, "\(text)")
    }
  }
}

extension Substring {
  fileprivate var trimmingPunctuation: String {
    let marks: Set<Character> = [",", ":", "(", ")", "\"", "."]
    var text = self
    while let last = text.last, marks.contains(last), text.count > 1 { text.removeLast() }
    while let first = text.first, marks.contains(first) { text.removeFirst() }
    return String(text)
  }
}
