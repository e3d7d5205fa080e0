// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// Order by the tables of headers is the order by events.
@Suite struct MessageTableTests {
  private func order(_ timeline: Timeline) -> [EventPlace] {
    var here = timeline.start
    var places: [EventPlace] = []
    while let place = timeline.stepForward(&here) { places.append(place) }
    return places
  }

  /// Several hosts, late events, clocks that messages contradict; chunks of which the first rows stand
  /// elsewhere.
  @Test(arguments: 0..<200)
  func orderIsTheSame(_ round: UInt64) {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var world = RandomWorld(seed: seed, disorder: Int(round % 3) * 20)
    for writer in world.writers.indices where round % 2 == 0 {
      world.writers[writer].attributes.host = "host \(writer % 2)"
    }
    let memory = world.source(rows: 7)
    // Rows that stand elsewhere are not later than those that stand here.
    let skipped = round % 15 == 0 ? 1 : 0
    guard memory.streams.allSatisfy({ $0.chunks.allSatisfy { $0.eventCount > skipped } }) else {
      return
    }
    let with = Timeline(EncodedSource(memory, skipped: skipped))
    let without = Timeline(EncodedSource(memory, skipped: skipped, hasTables: false))
    #expect(order(with) == order(without), "seed \(seed)")
    #expect(with.alignment.clocks == without.alignment.clocks, "seed \(seed)")
    #expect(with.alignment.recording.evidence.count == without.alignment.recording.evidence.count)
  }

  @Test func nothingIsDecodedForIt() {
    var evidence = 0
    for seed in 0..<40 as Range<UInt64> {
      var world = RandomWorld(seed: seed, disorder: 20)
      for writer in world.writers.indices { world.writers[writer].attributes.host = "h\(writer)" }
      let source = EncodedSource(world.source(rows: 16))
      evidence += Timeline(source).alignment.recording.evidence.count
      #expect(source.reads == 0)
    }
    #expect(evidence > 40)
  }
}
