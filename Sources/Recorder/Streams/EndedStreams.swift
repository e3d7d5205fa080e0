// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// Streams that have ended: thousands of short processes must not fill the memory with what they were.
struct EndedStreams {
  /// How many are kept for last words about them, and for the process that continues them.
  private static let keptMin = 256

  /// Those that are kept, the oldest first.
  private var kept: [WriterID] = []
  /// All: a pool that comes again under the name of one is a false one.
  private var all: Set<WriterID> = []

  func contains(_ id: WriterID) -> Bool { all.contains(id) }

  /// The stream has ended; those that are to be forgotten for it.
  mutating func add(_ id: WriterID) -> ArraySlice<WriterID> {
    guard all.insert(id).inserted else { return [] }
    kept.append(id)
    guard kept.count > Self.keptMin * 2 else { return [] }
    let old = kept.prefix(kept.count - Self.keptMin)
    kept.removeFirst(old.count)
    assert(kept.count == Self.keptMin)
    return old
  }
}
