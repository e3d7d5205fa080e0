// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTimeline

/// How long it was from one event to another, which may be of another machine.
package struct TimeBetween: Hashable, Sendable {
  /// Nanoseconds; between clocks the middle of what is proved, where that has two ends.
  package var length: Int64
  /// By how many nanoseconds that may be wrong; 0 on one clock, nil where nothing bounds it.
  package var error: Int64?

  package init(length: Int64, error: Int64?) {
    self.length = length
    self.error = error
  }
}

extension Player {
  /// How long it was from `first` to `last`.
  ///
  /// Between clocks it is bounded by messages; takes a look at each pair of clocks.
  package func time(from first: EventPlace, to last: EventPlace) -> TimeBetween {
    let (begin, end) = (timeline.event(at: first), timeline.event(at: last))
    let alignment = timeline.alignment
    let recording = alignment.recording
    let length = timeline.time(of: end) - timeline.time(of: begin)
    let (one, other) = (
      recording.moment(begin.time, of: first.stream), recording.moment(end.time, of: last.stream)
    )
    if one.clock == other.clock { return TimeBetween(length: length, error: 0) }
    let bounds = recording.graph.duration(from: one, to: other)
    guard var low = bounds.low, let high = bounds.high, high >= low else {
      return TimeBetween(length: length, error: nil)
    }
    // Bounds are rounded outward: of a message that took no less than nothing it is said so.
    if low < 0, low >= -4, high >= 0 { low = 0 }
    let (width, overflow) = high.subtractingReportingOverflow(low)
    guard !overflow else { return TimeBetween(length: length, error: nil) }
    return TimeBetween(length: low + width / 2, error: width / 2 + width % 2)
  }
}
