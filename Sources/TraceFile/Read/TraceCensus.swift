// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// What a trace holds and what is gone, counted in the one way that all commands use.
///
///     let census = reader.census
///     print(census.events, census.lost.text)   // 14, "4 events lost"
///
/// What ``TraceReader`` has not looked at counts as readable: after ``TraceReader/verify()`` the
/// census is exact, before it chunks with a damaged payload may still be among those that are there.
public struct TraceCensus: Hashable, Sendable {
  /// Events that can be read; the marks of a repair are not among them.
  public var events = 0
  /// Chunks that can be read; those of marks are not among them.
  public var chunks = 0
  /// Chunks that stand for what a repair could not take over; see ``TraceCopy``.
  public var marks = 0
  /// Events that never reached the file, by family, as its chunks count them.
  public var dropped: [EventFamily: EventsLost] = [:]
  /// Events that were numbered and are not here: in damaged chunks, or in none.
  public var missing = EventsLost()
  /// Events that a recording of the last part (`--last`) was not to keep: they are not lost.
  public var letGo: UInt64 = 0

  /// Everything that is gone.
  public var lost: EventsLost {
    dropped.values.reduce(into: missing) { $0.add($1) }
  }

  /// A census of nothing.
  public init() {}

  /// Counts a stream; `isDamaged` says of which chunks the payload is known to be unreadable.
  init(_ stream: TraceStream, isDamaged: (Int) -> Bool) {
    for (index, chunk) in stream.chunks.enumerated() {
      let isLast = index == stream.chunks.count - 1
      missing.add(chunk.missingBefore)
      letGo &+= chunk.letGoBefore
      if chunk.isStandIn {
        marks += 1
        let count = chunk.countStoodFor
        if count == 0 { missing.isAtLeast = true }
        // Events missing before the next chunk are counted there.
        let next = isLast ? nil : stream.chunks[index + 1]
        let here = min(count, next.map { $0.firstSequence - chunk.firstSequence } ?? count)
        let there = next?.missingBefore ?? 0
        missing.add(max(min(count, 1), here - min(here, there)))
      } else if isDamaged(index) {
        missing.add(UInt64(chunk.eventCount))
      } else {
        chunks += 1
        events += chunk.eventCount
      }
      for loss in chunk.losses
      where loss.count > 0 && !(chunk.isStandIn && loss.family == .unknown) {
        dropped[loss.family, default: EventsLost()].add(loss.count)
      }
    }
  }

  mutating func add(_ other: TraceCensus) {
    events += other.events
    chunks += other.chunks
    marks += other.marks
    missing.add(other.missing)
    letGo &+= other.letGo
    for (family, lost) in other.dropped { dropped[family, default: EventsLost()].add(lost) }
  }
}

extension ChunkInfo {
  /// For a stand-in: how many events it stands for; 0 when that is unknown.
  var countStoodFor: UInt64 { summary.losses.first { $0.family == .unknown }?.count ?? 0 }
}

extension TraceReader {
  /// The sum over all streams.
  public var census: TraceCensus {
    var census = streams.reduce(into: TraceCensus()) { $0.add(self.census(of: $1)) }
    if hasLostHeaders { census.missing.isAtLeast = true }
    return census
  }
}
