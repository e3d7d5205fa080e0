// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Nanoseconds since the first event of a recording, on the one axis that all its writers share.
///
/// A ``LifetraceTrace/HostTime`` is what one host's clock said; a trace time is what the
/// timeline made of it. Only ``Alignment`` turns one into the other.
@frozen
package struct TraceTime: RawRepresentable, Hashable, Comparable, Sendable {
  /// Nanoseconds since the first event of the recording.
  package var rawValue: Int64

  /// A time of `rawValue` nanoseconds after the first event.
  @inlinable
  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The time of the first event.
  @inlinable
  package static var zero: TraceTime { TraceTime(rawValue: 0) }

  /// Whether the left time is the earlier one.
  @inlinable
  package static func < (left: TraceTime, right: TraceTime) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Nanoseconds from `right` to `left`; saturates, because both may come from a hostile file.
  @inlinable
  package static func - (left: TraceTime, right: TraceTime) -> Int64 {
    HostTime(rawValue: left.rawValue) - HostTime(rawValue: right.rawValue)
  }

  /// The time `nanoseconds` later; saturates.
  @inlinable
  package func advanced(by nanoseconds: Int64) -> TraceTime {
    TraceTime(rawValue: HostTime(rawValue: rawValue).advanced(by: nanoseconds).rawValue)
  }
}
