// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import Testing
@testable import LifetraceTimeline
import LifetraceTrace

/// What is decoded only in part, or again, is what was decoded whole.
@Suite struct DecodingTests {
  /// By batches of 40 seeds: ``OrderDigest`` as it was when chunks were decoded whole and each step looked
  /// at all streams; where hosts are several, as messages have placed their clocks since
  /// each event stands within what is proved of it.
  private static let digests: [UInt64] = [
    0xb0a8_ba0c_d294_a085, 0x5d9f_6ba9_5c25_2a0e, 0xfbd6_6932_e6ad_356f, 0x98d5_85e4_5604_4154,
    0x09c1_c0b4_b8ca_3a9b, 0x3f25_2ff0_04e2_d0a5, 0x8e90_fb96_1398_7cd7, 0x3486_b26d_57b7_6f1c,
    0x9b2e_a974_1ce7_5229, 0xb05c_4e43_d9a6_ea5d,
  ]

  @Test("The order of random worlds is what it always was", arguments: digests.indices)
  func orderIsKept(batch: Int) {
    // The last one has room for few order times, but for all that stays of them.
    let memories = [
      nil, Timeline.Memory.bytes(2_000),
      Timeline.Memory(times: 2_000, roughTimes: 1 << 20, rows: 2_000, payloads: 2_000),
    ]
    for memory in memories {
      var digest = OrderDigest()
      for seed in UInt64(batch) * 40..<UInt64(batch + 1) * 40 {
        digest.add(Timeline(OrderDigest.source(seed: seed), memory: memory))
      }
      #expect(digest.value == Self.digests[batch])
    }
  }

  @Test(
    "Order times are the greatest times so far, also over gaps",
    arguments: 0..<40 as Range<UInt64>
  )
  func orderTimes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var time: Int64 = 0
    let times = (0..<random.below(500)).map { _ in
      time += random.once(in: 40) ? Int64(random.below(1 << 40)) : Int64(random.below(2_000)) - 300
      return time
    }
    let lifts =
      random.once(in: 2) ? [Lift(index: 13, time: 5_000), Lift(index: 90, time: 1 << 38)] : []
    let rule = OrderTimes.Rule(
      stream: 0,
      firstIndex: 7,
      clock: StreamClock(epoch: HostTime(rawValue: 40)),
      floor: seed % 2 == 0 ? .min : 900,
      lifts: lifts[...]
    )
    let found = OrderTimes(rule, count: times.count) { take in take(times.span) }
    var latest = rule.floor
    var expected: [Int64] = []
    for (row, time) in times.enumerated() {
      latest = max(latest, time - 40)
      for lift in lifts where lift.index <= 7 + row { latest = max(latest, lift.time) }
      expected.append(latest)
    }
    #expect(found.indices.map { found[$0] } == expected, "seed \(seed)")
    for time in expected + [.min, 0, 4_999, .max] {
      let bound = expected.partitioningIndex { $0 >= time }
      #expect(found.lowerBound(time) == 7 + bound, "seed \(seed), \(time)")
    }
  }

  @Test(
    "What stays of order times tells how many lie before a time, or between which two numbers",
    arguments: 0..<40 as Range<UInt64>
  )
  func roughTimes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var time: Int64 = 0
    let gap = [1, 50, 2_000_000][Int(seed % 3)]
    let times = (0..<1 + random.below(700)).map { _ in
      time += random.once(in: 60) ? Int64(random.below(1 << 44)) : Int64(random.below(gap))
      return time
    }
    let rule = OrderTimes.Rule(
      stream: 0,
      firstIndex: 7,
      clock: StreamClock(epoch: HostTime(rawValue: 40)),
      floor: .min,
      lifts: []
    )
    let exact = OrderTimes(rule, count: times.count) { take in take(times.span) }
    let rough = RoughTimes(exact)
    #expect(rough.indices == exact.indices)
    var unsure = 0
    for index in exact.indices {
      #expect(rough.times(of: index).contains(exact[index]), "seed \(seed), \(index)")
      for time in exact[index] - 1...exact[index] + 1 {
        #expect(rough.lowerBounds(time).contains(exact.lowerBound(time)), "seed \(seed), \(time)")
      }
      let between = exact[index] + Int64(random.below(1 << 44))
      let bounds = rough.lowerBounds(between)
      #expect(bounds.contains(exact.lowerBound(between)), "seed \(seed), \(between)")
      if bounds.count > 1 { unsure += 1 }
    }
    for time in [.min, 0, exact[exact.indices.upperBound - 1] + (1 << 50), .max] as [Int64] {
      #expect(rough.lowerBounds(time).contains(exact.lowerBound(time)), "seed \(seed), \(time)")
    }
    #expect(unsure <= exact.count / 4, "seed \(seed): \(unsure) of \(exact.count)")
  }

  @Test("A tree of losers gives what a sort gives", arguments: 0..<30 as Range<UInt64>)
  func treeSorts(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var lists = (0..<1 + random.below(40)).map { _ in
      (0..<random.below(20)).map { _ in random.below(1_000) }.sorted()
    }
    let expected = lists.flatMap { $0 }.sorted()
    var tree = LoserTree(lists.map { $0.first ?? .max })
    var found: [Int] = []
    while tree.entries[tree.first] != .max {
      found.append(tree.entries[tree.first])
      lists[tree.first].removeFirst()
      tree.replaceFirst(with: lists[tree.first].first ?? .max)
    }
    #expect(found == expected, "seed \(seed)")
  }

  @Test func aPoolKeepsItsLimitAndNoCliff() {
    // 110 parts taken in turns, with room for 100: the oldest one would never be there.
    var pool = Pool<Int, Int>(bytesMax: 100)
    var misses = 0
    for turn in 0..<110 * 50 {
      let key = turn % 110
      if let part = pool.part(key) {
        #expect(part == key)
      } else {
        misses += 1
        pool.keep(key, bytes: 1, for: key)
      }
      #expect(pool.bytes <= 100)
    }
    #expect(misses < 110 * 50 / 2, "\(misses) of \(110 * 50)")
  }
}

/// Counts what is read of a source of many writers, and of which chunks.
private final class CountedSource: EventSource {
  private let inner: MemorySource
  var reads = 0

  init(_ inner: MemorySource) { self.inner = inner }

  var names: Names { inner.names }
  var streams: [SourceStream] { inner.streams }
  func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    reads += 1
    return inner.decode(chunk: chunk, of: stream)
  }
  func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
  func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
}

/// Many writers that take turns.
@Suite struct TurnTests {
  private func source(writers: Int, events: Int) -> CountedSource {
    CountedSource(
      MemorySource(
        (0..<writers).map { number in
          MemorySource.Writer(
            id: WriterID(high: 3, low: UInt64(number)),
            attributes: WriterAttributes(app: "app\(number)"),
            events: (0..<events).map {
              Event(.mark, at: HostTime(rawValue: Int64($0 * writers + number)))
            }
          )
        },
        names: Names(),
        rows: 100
      )
    )
  }

  @Test(
    "Steps in a row read no chunk again, however many writers take turns",
    arguments: [1, 64, 257]
  )
  func stepsReadOnce(writers: Int) {
    let source = source(writers: writers, events: 300)
    let timeline = Timeline(source)
    var here = timeline.start
    while let place = timeline.stepForward(&here) { _ = timeline.event(at: place) }
    #expect(source.reads == writers * 3)
    while let place = timeline.stepBackward(&here) { _ = timeline.event(at: place) }
    #expect(source.reads == writers * 3)
  }

  @Test("With room for half of the writers a step reads at most a few chunks")
  func stepsWithLittleRoom() {
    let source = source(writers: 100, events: 200)
    // Times of 60 chunks, rows of 60 windows, and next to no payload.
    let timeline = Timeline(
      source,
      memory: Timeline.Memory(times: 36_000, rows: 320_000, payloads: 0)
    )
    var here = timeline.position(ordinal: 5_000)
    source.reads = 0
    for _ in 0..<1_000 {
      guard let place = timeline.stepForward(&here) else { break }
      _ = timeline.event(at: place)
    }
    // To look at each stream at each step would read 40,000.
    #expect(source.reads <= 2_000, "\(source.reads)")
  }

  @Test("A jump and a search stop when they are asked to")
  func stops() {
    let timeline = Timeline(source(writers: 50, events: 200))
    var asked = 0
    #expect(throws: SearchInterrupted.self) {
      try timeline.prepare(
        ordinal: 5_000,
        isInterrupted: {
          asked += 1; return asked == 10
        }
      ) { _, _ in }
    }
    #expect(asked == 10)
    var seen = 0
    for direction in [Direction.forward, .backward] {
      asked = 0
      let never = EventFilter { _, _ in
        seen += 1
        return false
      }
      #expect(throws: SearchInterrupted.self) {
        try timeline.find(never, from: timeline.position(ordinal: 5_000), direction) {
          asked += 1
          return asked == 7
        }
      }
      #expect(asked == 7)
    }
    #expect(seen > 0 && seen < 1_000)
  }
}
