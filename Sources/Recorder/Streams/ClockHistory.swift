// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// The latest readings of the host's clocks: what chunks are to keep of them.
struct ClockHistory {
  private var readings: [(time: HostTime, bracket: ClockBracket)] = []

  /// More are not kept; they are ten seconds apart, but for the first ones and those behind a sleep.
  static let readingsMax = 512

  /// Takes note of a reading; `time` is that of its tick.
  mutating func note(_ reading: ClockReading, at time: HostTime) {
    if readings.count >= Self.readingsMax { readings.removeFirst(Self.readingsMax / 2) }
    readings.append((time, reading.bracket))
  }

  /// For a chunk with events from `first` to `last`: the last one before it, those meanwhile, and `now`.
  func brackets(from first: HostTime, to last: HostTime, now: ClockReading) -> [ClockBracket] {
    let begin = readings.lastIndex { $0.time <= first } ?? 0
    let during = readings.dropFirst(begin).prefix { $0.time <= last }.map(\.bracket)
    let all = during + [now.bracket]
    return ClockBracket.thinned(all)
  }
}
