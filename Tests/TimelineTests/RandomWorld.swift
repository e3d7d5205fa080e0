// SPDX-License-Identifier: Apache-2.0
import Support
import LifetraceTimeline
import LifetraceTrace

/// A few writers that send each other messages, some of them late or with contradicting clocks.
struct RandomWorld {
  var writers: [MemorySource.Writer] = []

  /// `disorder` in percent: how many events step back in time.
  init(seed: UInt64, disorder: Int) {
    var random = SeededRandom(seed: seed)
    let streams = Int.random(in: 1...5, using: &random)
    for number in 0..<streams {
      var attributes = WriterAttributes(app: "app\(number)")
      attributes.pid = UInt32(100 + number)
      writers.append(
        MemorySource.Writer(
          id: WriterID(high: seed, low: UInt64(number)),
          attributes: attributes,
          events: []
        )
      )
    }
    var time: Int64 = 1_000
    var flow: UInt64 = 1
    var inFlight: [(flow: UInt64, to: Int)] = []
    for _ in 0..<Int.random(in: 0...120, using: &random) {
      time += Int64.random(in: 0...3, using: &random)
      let isLate = Int.random(in: 0..<100, using: &random) < disorder
      let stamp = HostTime(
        rawValue: isLate ? time - Int64.random(in: 0...40, using: &random) : time
      )
      let stream = Int.random(in: 0..<streams, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        writers[stream].events.append(Event(.messageSend, at: stamp, identity: flow))
        inFlight.append((flow, Int.random(in: 0..<streams, using: &random)))
        flow += 1
      case 1 where !inFlight.isEmpty:
        let message = inFlight.remove(at: Int.random(in: inFlight.indices, using: &random))
        writers[message.to].events.append(
          Event(.messageReceive, at: stamp, identity: message.flow)
        )
      default:
        writers[stream].events.append(Event(.mark, at: stamp))
      }
    }
  }

  func source(rows: Int) -> MemorySource { MemorySource(writers, names: Names(), rows: rows) }
}
