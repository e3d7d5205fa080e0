// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
package import LifetraceTrace

/// How the times of a stream lie on the axis of its recording: moved, or along a line where the clock is
/// bounded by messages.
package struct StreamClock: Sendable, Equatable {
  private let shift: Int64
  private let line: AxisMap?
  /// Before the line: the times as the counter of its machine has them.
  private let counter: AxisMap?

  /// Times count from `epoch`.
  package init(epoch: HostTime) {
    self.init(shift: HostTime(rawValue: 0) - epoch)
  }

  init(shift: Int64) {
    self.shift = shift
    (line, counter) = (nil, nil)
  }

  init(_ map: AxisMap, counter: AxisMap? = nil) {
    self.counter = map.shift == nil ? counter : nil
    if let counter, let moved = map.shift {
      (shift, line) = (0, counter.moved(by: moved))
    } else {
      shift = map.shift ?? 0
      line = map.shift == nil ? map : nil
    }
  }

  /// Whether each time is moved by as much.
  package var isMoved: Bool { line == nil }

  /// When it was; saturates.
  @inline(__always)
  package func trace(_ time: HostTime) -> TraceTime {
    guard let line else { return TraceTime(rawValue: time.advanced(by: shift).rawValue) }
    let counted = counter?.axis(time.rawValue) ?? time.rawValue
    return TraceTime(rawValue: line.axis(counted))
  }

  /// What the clock showed then, the last time where it is several; saturates.
  package func host(_ time: TraceTime) -> HostTime {
    if let line {
      let counted = line.raw(time.rawValue)
      return HostTime(rawValue: counter?.raw(counted) ?? counted)
    }
    let back = HostTime(rawValue: 0) - HostTime(rawValue: shift)
    return HostTime(rawValue: time.rawValue).advanced(by: back)
  }

  /// The time by which an event is ordered.
  ///
  /// Held within 73 years of the first event: two of them differ by less than 2^63, however hostile the
  /// file.
  @inline(__always)
  func ordered(_ time: HostTime) -> Int64 { Self.held(trace(time).rawValue) }

  /// The same of a clock that ``isMoved``, for many times in a row.
  @inline(__always)
  func orderedMoved(_ time: HostTime) -> Int64 { Self.held(time.advanced(by: shift).rawValue) }

  @inline(__always)
  private static func held(_ time: Int64) -> Int64 {
    let limit: Int64 = 1 << 61
    return min(max(time, -limit), limit)
  }
}
