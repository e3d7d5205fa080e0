// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// It does not matter in which order files are handed in.
@Suite struct FileOrderTests {
  private struct Step: Hashable {
    var writer: WriterID
    var index: Int
    var time: TraceTime
  }

  private func steps(_ writers: [MemorySource.Writer]) -> [Step] {
    let timeline = Timeline(MemorySource(writers, names: Names(), rows: 7))
    var here = timeline.start
    var steps: [Step] = []
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      let writer = timeline.streams[Int(place.stream.rawValue)].writer
      steps.append(Step(writer: writer, index: place.index, time: timeline.time(of: event)))
    }
    return steps
  }

  /// Machines whose clocks are bounded by messages, with late events, contradictions, equal times and
  /// recordings that begin at one moment.
  @Test(arguments: 0..<200)
  func eventsStandWhereTheyStood(_ round: UInt64) {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var world = RandomWorld(seed: seed, disorder: Int(round % 3) * 20)
    var random = SeededRandom(seed: seed)
    for writer in world.writers.indices {
      if round % 4 > 0 {
        world.writers[writer].attributes.host = "host \(writer % Int(round % 4 + 1))"
      }
      world.writers[writer].id = WriterID(high: random.next(), low: UInt64(writer))
      let realOffset = Int64(random.below(1_000)) * (round % 2 == 0 ? 1 : 0)
      world.writers[writer].attributes.realOffset = realOffset
    }
    let first = steps(world.writers)
    #expect(steps(world.writers.reversed()) == first, "seed \(seed)")
    #expect(steps(world.writers.shuffled(using: &random)) == first, "seed \(seed)")
  }
}
