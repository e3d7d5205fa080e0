// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// A recording that lists its strings is asked less, and answers the same.
@Suite struct StringListSearchTests {
  /// Events in memory that may list their strings; counts what is read of them.
  private final class ListedSource: EventSource {
    private let inner: MemorySource
    let strings: [String]?
    var reads = 0

    init(_ world: SmallWorld, isListed: Bool) {
      inner = MemorySource(world.writers, names: world.names, rows: 7)
      strings = isListed ? Array(world.names.strings.dropFirst()) : nil
    }

    var names: Names { inner.names }
    var streams: [SourceStream] { inner.streams }
    func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
      reads += 1
      return inner.decode(chunk: chunk, of: stream)
    }
    func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
    func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
  }

  private static let expressions = [
    "object == \"draft.txt\"", "object == \"no such\"", "object != \"no such\"",
    "dirty && object == \"no such\"", "dirty || object == \"no such\"",
    "!(object == \"no such\")", "object =~ `*.txt`", "object =~ `*.pdf`", "object =~ `*`",
    "object in [\"no such\", \"index.db\"]", "object in [\"no such\", \"nor such\"]",
    "name == \"no such\"", "name == \"didEnterBackground\"", "file == \"Notes/App.swift\"",
    "file =~ `*.mm`", "any data where object == \"no such\"",
    "purge && any data where object == \"draft.txt\"", "key == \"\"",
    "data(\"no such\").unsaved > 0 || object == \"settings\"",
  ]
  private static let words = [
    "draft", "no such", "draft.pdf", "DB", "App.swift:7", "didEnter", "main", "3", "dirty",
    "suspended", "x=1",
    "late", "notes", "",
  ]

  @Test(arguments: 0..<6 as Range<UInt64>) func answersAreTheSame(seed: UInt64) throws {
    let world = SmallWorld(seed: seed, events: 90)
    let listed = Player(Timeline(ListedSource(world, isListed: true)))
    let plain = Player(Timeline(ListedSource(world, isListed: false)))
    for ordinal in [0, 40, 90] {
      for player in [listed, plain] { player.seek(toEvent: ordinal) }
      for direction in [Direction.forward, .backward] {
        for text in Self.expressions {
          let question = try Question(condition: text)
          #expect(
            try listed.find(Asking(question, listed).filter, direction)
              == plain.find(Asking(question, plain).filter, direction),
            "seed \(seed), \(text)"
          )
        }
        for word in Self.words where !word.isEmpty {
          #expect(
            try listed.find(Mentions(word, listed).filter, direction)
              == plain.find(Mentions(word, plain).filter, direction),
            "seed \(seed), \(word)"
          )
        }
      }
    }
  }

  @Test(arguments: ["object == \"no such\"", "object =~ `*.pdf` && bytes > 3", "\"draft.pdf\""])
  func whatIsNotListedIsNotLookedFor(text: String) throws {
    let source = ListedSource(SmallWorld(seed: 1, events: 90), isListed: true)
    let player = Player(Timeline(source))
    let before = source.reads
    let filter =
      text.hasPrefix("\"")
      ? Mentions("draft.pdf", player).filter : Asking(try Question(condition: text), player).filter
    #expect(try player.find(filter, .forward) == nil)
    var hits = Hits(of: filter, in: player.timeline)
    #expect(try hits.next() == nil)
    #expect(source.reads == before)
  }
}
