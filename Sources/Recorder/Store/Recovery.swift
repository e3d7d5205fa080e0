// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// What is taken over of a recorder that died; empty in a recording that began here.
struct Recovery {
  enum Phase {
    /// The session was begun by this recorder.
    case none
    /// The streams of its trace are taken over.
    case underWay
    /// All that was left is known.
    case done
  }
  private(set) var phase = Phase.none
  /// Streams of its trace whose pools have not been met yet.
  private var streams: [WriterID: Adoption.Stream] = [:]
  /// The next numbers of streams of which its trace holds nothing any more.
  private var numbers: [WriterID: UInt64] = [:]
  /// Events that it had done with are missing in its trace on purpose.
  private(set) var trustsConsumed = false

  /// Nothing is taken over.
  init() {}

  init(_ adoption: Adoption) {
    phase = .underWay
    streams = adoption.streams
    numbers = adoption.unknown
    trustsConsumed = adoption.trustsConsumed
  }

  var isUnderWay: Bool { phase == .underWay }

  /// Those that were not taken.
  var left: [WriterID: Adoption.Stream] { streams }

  mutating func take(_ id: WriterID) -> Adoption.Stream? { streams.removeValue(forKey: id) }

  mutating func takeNumber(of id: WriterID) -> UInt64? { numbers.removeValue(forKey: id) }

  /// What was not met by now never will be.
  mutating func finish() {
    precondition(isUnderWay)
    streams = [:]
    phase = .done
  }
}
