// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A place between two events of a recording: how many events of each stream have happened.
///
///     var here = timeline.start
///     while let place = timeline.stepForward(&here) { print(timeline.event(at: place).kind) }
///
/// The ordinal is the sum of the cursors: at ordinal 42, the events with the
/// numbers 1 to 42 have happened, and event 42 is the one just passed. So event
/// numbers count from 1, and ordinal 0 is before everything. The vector is what
/// makes a position exact when several writers stamp the same nanosecond.
package struct Position: Hashable, Comparable, Sendable {
  /// Events that have happened, by stream.
  package internal(set) var cursors: [Int]
  /// Events that have happened in all streams together.
  package internal(set) var ordinal: Int

  init(cursors: [Int]) {
    self.cursors = cursors
    ordinal = cursors.reduce(0, +)
  }

  /// Earlier first; positions of one timeline are totally ordered.
  package static func < (left: Position, right: Position) -> Bool { left.ordinal < right.ordinal }
}

/// One event, found by its stream and its index there.
///
/// The index counts the events that are readable, from 0; where the file has a
/// gap, the sequence number runs ahead of it.
package struct EventPlace: Hashable, Sendable {
  /// The stream it belongs to.
  package var stream: StreamID
  /// How many readable events of the stream come before it.
  package var index: Int

  /// Makes a place.
  package init(stream: StreamID, index: Int) {
    self.stream = stream
    self.index = index
  }
}
