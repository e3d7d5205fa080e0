// SPDX-License-Identifier: Apache-2.0
package import LifetraceClocks
package import LifetraceTrace

extension RecordingClocks {
  /// When a moment of one stream was, as the clock of another one showed it; open where nothing bounds it.
  ///
  /// Between machines it takes a look at each pair of clocks.
  package func interval(
    _ time: HostTime,
    of stream: StreamID,
    on other: StreamID
  ) -> ClockInterval {
    let clock = clockOfStream[Int(other.rawValue)]
    let moment = moment(time, of: stream)
    guard moment.clock == clock else {
      let found = graph.interval(of: moment, on: clock)
      func shown(_ counted: Int64) -> Int64 { self.time(counted, of: other).rawValue }
      return ClockInterval(low: found.low.map(shown), high: found.high.map(shown))
    }
    let error = apart(stream, other)
    let there = self.time(moment.time, of: other)
    return ClockInterval(
      low: there.advanced(by: -error).rawValue,
      high: there.advanced(by: error).rawValue
    )
  }

  /// By how much two streams of one clock may stamp one moment differently, in nanoseconds: two
  /// recorders each keep within 200 µs of the clock of their machine.
  private func apart(_ one: StreamID, _ other: StreamID) -> Int64 {
    let (one, other) = (Int(one.rawValue), Int(other.rawValue))
    let known = counters.ofStream[one] != nil && counters.ofStream[other] != nil
    return sessionOfStream[one] == sessionOfStream[other] || known ? 0 : 400_000
  }

  /// The messages between two clocks that count, each way, and how far the nearest is from a time of the
  /// first, in nanoseconds; nil where there is none.
  ///
  /// Takes a look at each piece of evidence that is kept; the nearest is the nearest of these.
  package func messages(
    _ one: StreamID,
    _ other: StreamID,
    near time: HostTime
  ) -> (forward: Int, back: Int, nearest: Int64)? {
    let (here, there) = (moment(time, of: one), clockOfStream[Int(other.rawValue)])
    let clocks = [min(here.clock, there), max(here.clock, there)]
    guard let pair = graph.pairs.first(where: { [$0.clocks.0, $0.clocks.1] == clocks }) else {
      return nil
    }
    let odd = Set(graph.contradictions.pieces)
    var (nearest, declared) = (Int64.max, 0)
    for (index, piece) in evidence.enumerated() where !odd.contains(index) {
      let (earlier, later) = (piece.earlier, piece.later)
      guard [min(earlier.clock, later.clock), max(earlier.clock, later.clock)] == clocks else {
        continue
      }
      guard piece.source != .declared else {
        declared += 1
        continue
      }
      let own = earlier.clock == here.clock ? earlier.time : later.time
      let apart = HostTime(rawValue: own) - HostTime(rawValue: here.time)
      nearest = min(nearest, apart == .min ? .max : abs(apart))
    }
    let isForward = pair.clocks.0 == here.clock
    // One of the two ways each.
    let (forward, back) = (pair.counts.forward - declared / 2, pair.counts.backward - declared / 2)
    guard forward + back > 0 else { return nil }
    return (isForward ? forward : back, isForward ? back : forward, nearest)
  }

  /// The messages, by flow, of which what they say of two clocks was set aside by themselves.
  package var flowsSetAside: Set<UInt64> {
    Set(
      graph.contradictions.pieces.lazy.map { evidence[$0] }.filter { $0.source != .declared }
        .map(\.label)
    )
  }

  /// Whether all that messages say of the clocks of two streams was set aside.
  package func areSetAside(_ one: StreamID, _ other: StreamID) -> Bool {
    let pair = [one, other].map { clockOfStream[Int($0.rawValue)] }
    let odd = graph.contradictions
    return odd.clocks.contains { pair.contains($0.clock) }
      || odd.pairs.contains { [$0.first, $0.second] == pair.sorted() }
  }
}
