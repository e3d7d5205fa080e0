// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// Runs of events are what steps go past.
@Suite struct EventRunTests {
  /// Many equal times, at which receives wait for their sends; all streams, or some.
  @Test(arguments: 0..<400 as Range<UInt64>)
  func areTheSteps(_ round: UInt64) {
    let seed = SeededRandom.seed &* 1_000 &+ round
    let timeline = Timeline(OrderDigest.source(seed: seed), memory: .bytes(2_560))
    var random = SeededRandom(seed: seed)
    let ids = timeline.streams.map(\.id)
    let some = round % 2 == 0 ? nil : Set(ids.filter { _ in random.below(3) > 0 })
    var here = timeline.start
    var steps: [EventPlace] = []
    while let place = timeline.stepForward(&here) {
      if some?.contains(place.stream) ?? true { steps.append(place) }
    }
    var runs = EventRuns(of: timeline, streams: some)
    var places: [EventPlace] = []
    while let run = runs.next() {
      #expect(!run.indices.isEmpty)
      for index in run.indices {
        places.append(EventPlace(stream: run.rows.stream, index: run.rows.firstIndex + index))
      }
    }
    #expect(places == steps, "seed \(seed)")
  }
}
