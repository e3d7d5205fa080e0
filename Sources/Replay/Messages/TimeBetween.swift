// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTimeline

/// How long it was from one event to another, which may be of another machine.
package struct TimeBetween: Hashable, Sendable {
  /// Nanoseconds on the axis of the recording.
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
    let length = timeline.time(of: end) - timeline.time(of: begin)
    let clocks = alignment.recording.clockOfStream
    let (one, other) = (clocks[Int(first.stream.rawValue)], clocks[Int(last.stream.rawValue)])
    if one == other { return TimeBetween(length: length, error: 0) }
    guard alignment.references[one] == alignment.references[other],
      let before = alignment.interval(begin.time, of: first.stream).width,
      let behind = alignment.interval(end.time, of: last.stream).width
    else { return TimeBetween(length: length, error: nil) }
    return TimeBetween(length: length, error: (before / 2).addingSaturated(behind / 2))
  }
}
