// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A row of the picture that an export draws: a device, an app, a process, or one thing of a process.
///
///     device phone
///       app notes                      its incarnations, one slice each
///     process notes#1
///       violations, state, main, thread 4711, queue saving, background tasks, …
///       waiting notifications, unsaved, memory footprint       counters
///
/// Where things of one lane overlap without lying inside each other, further lanes of the same name
/// take what does not fit: on each lane slices are nested, which is what viewers can draw.
package struct Lane: Sendable, Equatable {
  /// The number of the lane, from 0 in the order in which lanes are declared.
  package typealias ID = UInt32

  /// What stands in a lane.
  package enum Kind: Sendable, Equatable {
    case device
    case app
    case process(StreamID)
    case thread(ThreadID)
    /// What a process has of one family, such as its states or tasks.
    case group
    case counter(Unit)
  }

  /// What a counter counts.
  package enum Unit: Sendable, Equatable {
    case count
    case bytes
    /// Hundredths of one core.
    case percent
  }

  /// The number of the lane.
  package let id: ID
  /// The lane that it belongs to; nil for devices and processes.
  package let parent: ID?
  /// What stands in it.
  package let kind: Kind
  /// What people read beside it.
  package let name: String
  /// The process that it belongs to; nil for devices and apps.
  package let stream: StreamID?
  /// Where it stands among those of the same parent, from 0.
  package let rank: Int
}
