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
    Golden.stories(with: "story.txt").map { $0 + "/story.txt" } + [
      "Traces/tour/recording.txt", "Traces/tour/machines-recording.txt",
    ]

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
      let cells = session.wordCells(EventPoint(place: event, number: place.ordinal))
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

  /// What is found shows the word, in its line or in the name of its kind.
  @Test(arguments: stories)
  func whatAWordFindsShowsIt(_ path: String) throws {
    let timeline = Timeline(try Story.parse(try #require(Golden.text(path))).source)
    let session = Session(
      player: Player(timeline),
      title: path,
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    var lines: [(event: Event, text: String)] = []
    var place = timeline.start
    while let event = timeline.stepForward(&place), lines.count < 60 {
      let cells = session.wordCells(EventPoint(place: event, number: place.ordinal))
      lines.append(
        (timeline.event(at: event), cells.map(\.text).joined(separator: " ").lowercased())
      )
    }
    let words = Set(lines.flatMap { $0.text.split(separator: " ") }.map(\.trimmingPunctuation))
    for word in words.sorted().prefix(40) where word.contains(where: \.isLetter) {
      let search = WordSearch(word)
      for (event, line) in lines where search.shows(event, timeline.names) {
        // Some fields a line does not show, and they are the event's own.
        let values = event.values(timeline.names).map { "\($0.0)=\($0.1)".lowercased() }
        let names = timeline.names
        let own = [EventText.kind(event.kind, names), names[names[event.site].name].lowercased()]
        let isMeant =
          KindWord.exactly(word)?.accepts(event) == true
          || (own + values).contains { $0.contains(word) }
        #expect(line.contains(word) || isMeant, "\(path): \(word) finds: \(line)")
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

extension Session {
  /// Without the number and the time, which are what goto takes, and the margin of the time.
  fileprivate func wordCells(_ point: EventPoint) -> ArraySlice<Cell> {
    cells(point).dropFirst(player.timeline.alignment.clockCount > 1 ? 3 : 2)
  }
}
