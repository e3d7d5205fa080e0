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
    /// By stream and chunk: the names of its events.
    private var filters: [[NameFilter]] = []

    init(_ world: SmallWorld, isListed: Bool, hasFilters: Bool = false) {
      inner = MemorySource(world.writers, names: world.names, rows: 7)
      strings = isListed ? Array(world.names.strings.dropFirst()) : nil
      guard hasFilters else { return }
      filters = world.writers.map { writer in
        stride(from: 0, to: writer.events.count, by: 7).map { first in
          let events = writer.events[first..<min(first + 7, writer.events.count)]
          let ids = Set(events.flatMap { $0.nameIDs(in: world.names) })
          var filter = NameFilter(expecting: ids.count)
          for id in ids { filter.insert(world.names[id]) }
          return filter
        }
      }
    }

    var names: Names { inner.names }
    var streams: [SourceStream] { inner.streams }
    func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
      reads += 1
      return inner.decode(chunk: chunk, of: stream)
    }
    func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? {
      filters.isEmpty ? nil : filters[Int(stream.rawValue)][chunk]
    }
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

  @Test(arguments: 0..<6 as Range<UInt64>, [false, true])
  func answersAreTheSame(seed: UInt64, hasFilters: Bool) throws {
    let world = SmallWorld(seed: seed, events: 90)
    let listed = Player(
      Timeline(ListedSource(world, isListed: true, hasFilters: hasFilters))
    )
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

  /// A pattern stands for the names that it fits: chunks that mention none of them are not opened.
  @Test(arguments: 0..<6 as Range<UInt64>) func aPatternOpensOnlyWhatMayHoldIt(seed: UInt64) throws
  {
    let world = SmallWorld(seed: seed, events: 90)
    let source = ListedSource(world, isListed: true, hasFilters: true)
    let player = Player(Timeline(source))
    let question = try Question(condition: "object =~ `*.txt`")
    var hits = Hits(of: Asking(question, player).filter, in: player.timeline)
    let before = source.reads
    while try hits.next() != nil {}
    let may = source.streams.indices.flatMap { stream in
      source.streams[stream].chunks.indices.filter { chunk in
        let filter = source.nameFilter(chunk: chunk, of: StreamID(rawValue: UInt32(stream)))
        return world.names.strings.contains { name in
          name.hasSuffix(".txt") && filter?.mayContain(name) == true
        }
      }
    }
    #expect(source.reads - before <= may.count, "seed \(seed)")
    #expect(may.count < source.streams.reduce(0) { $0 + $1.chunks.count }, "seed \(seed)")
  }

  /// A condition of the state alone is asked where something touches it, and nowhere else.
  @Test(arguments: 0..<6 as Range<UInt64>) func theStateIsAskedWhereItIsTouched(seed: UInt64) throws
  {
    var world = SmallWorld(seed: seed, events: 90)
    world.writers[2].events.removeAll { $0.kind == .loss }
    for index in world.writers[2].events.indices {
      world.writers[2].events[index].sequence = UInt64(index)
    }
    let source = ListedSource(world, isListed: false)
    let player = Player(Timeline(source))
    // Nothing happens to the device: only the start of the process touches it.
    let question = try Question(condition: "locked")
    #expect(question.isOfStateAlone)
    let asking = Asking(question, player, of: [StreamID(rawValue: 2)])
    let before = source.reads
    #expect(try player.find(asking.filter, .forward) == nil)
    #expect(source.reads - before <= 1, "seed \(seed)")
    #expect(source.streams[2].chunks.count > 2)
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
