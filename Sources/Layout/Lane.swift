// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A line of the picture: what one thing was in, from when to when, and what happened to it.
package struct Lane: Sendable {
  /// What a lane is about, in the order in which lanes stand.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The states of the app; for another process, that it runs.
    case state
    /// The main thread.
    case main
    /// Another thread.
    case thread
    /// A data object: where it has edits that a purge would lose.
    case object
    /// Background tasks, wakes and deadlines.
    case task
    /// How many notifications wait.
    case queue
    /// Locks, files and other things that are held.
    case held
  }

  /// What it is about.
  package let kind: Kind
  /// The thread or the object, as the recording spells it; empty where the kind says it.
  package let name: String
  /// In order of their begins.
  package internal(set) var bars: [Bar] = []
  /// In order of time.
  package internal(set) var instants: [Instant] = []
  /// Shorter things nearer to each other than this are one; 0 where each is there.
  package internal(set) var grain: Int64 = 0

  /// A lane without anything yet.
  package init(_ kind: Kind, _ name: String = "") {
    self.kind = kind
    self.name = name
  }

  /// How many rows its bars need, where they overlap.
  package var depth: Int { Int(bars.map(\.depth).max() ?? 0) + 1 }
}

/// An interval on a lane.
package struct Bar: Sendable, Hashable {
  package internal(set) var begin: Int64
  package internal(set) var end: Int64
  /// The stream of the event that began it.
  package let stream: StreamID
  /// The number of that event.
  package let sequence: UInt64
  /// What is open in it, as the recording calls it; may be empty.
  package let name: NameID
  /// How many waited, of a queue; of others, how many short ones it stands for.
  package internal(set) var count: UInt32
  /// How much of it is filled, of 255, where it stands for several.
  package internal(set) var fill: UInt8 = 255
  /// How it looks.
  package internal(set) var look: Look
  /// The row within the lane, from 0.
  package internal(set) var depth: UInt8 = 0

  package enum Look: UInt8, Sendable, CaseIterable {
    // States.
    case running
    case inactive
    case active
    case background
    case suspended
    // Threads.
    case callback
    case turn
    case work
    case wait
    // Data.
    case unsaved
    case saving
    // Tasks, wakes, deadlines; what waits, what is held.
    case task
    case wake
    case deadline
    case queue
    case held
  }

  package var length: Int64 { end - begin }
}

/// Something that happened at an instant.
package struct Instant: Sendable, Hashable {
  package internal(set) var time: Int64
  package internal(set) var stream: StreamID
  package internal(set) var sequence: UInt64
  package internal(set) var kind: Kind
  /// How many it stands for.
  package internal(set) var count: UInt32 = 1

  /// What happened; where several would stand in one place, the first of these does.
  package enum Kind: UInt8, Sendable, CaseIterable, Comparable {
    /// Data that is gone.
    case lost
    /// Data that may be gone.
    case maybeLost
    /// Events that the recording lacks.
    case eventsLost
    /// The end of a process: a kill, a crash, an exit.
    case ended
    case purged
    case expired
    case failed
    case dropped
    case edit
    case saved
    case deferred
    case discarded
    case restored
    case wake
    case launched
    case posted
    case delivered
    case sent
    case received
    case device
    case touch
    case test
    case named
    case log

    /// Whether the left one is shown rather than the right one.
    package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }
}
