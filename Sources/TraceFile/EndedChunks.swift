// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Which chunks of a file an index speaks for that says that their recording ended well.
struct EndedChunks {
  /// Where the others are, in file order.
  private var open: [UInt64] = []
  private var hasEnd = false

  /// A chunk that no index has spoken for yet.
  mutating func meet(chunkAt offset: UInt64) { open.append(offset) }

  /// An index that stands at `start`, behind chunks that were met one by one.
  mutating func meet(_ footer: Footer, at start: UInt64) {
    guard footer.hasEnd else { return }
    hasEnd = true
    while let last = open.last, start <= footer.coveredBytes + last { open.removeLast() }
  }

  /// An index instead of its chunks.
  mutating func meetAll(of footer: Footer) {
    if footer.hasEnd { hasEnd = true } else { open += footer.chunks.map(\.offset) }
  }

  /// Whether all events of the streams stand in chunks of a recording that ended well.
  ///
  /// A copy that was taken while recording says nothing of an end; beside the finished trace it
  /// has nothing that is not there too.
  func holdAll(_ streams: [[ChunkInfo]]) -> Bool {
    guard hasEnd, !open.isEmpty else { return hasEnd }
    let open = Set(open)
    return streams.allSatisfy { chunks in
      guard chunks.contains(where: { open.contains($0.offset) }) else { return true }
      var ended = NumberRanges()
      for chunk in chunks.sorted(by: { $0.firstSequence < $1.firstSequence })
      where !open.contains(chunk.offset) {
        ended.add(chunk.firstSequence..<chunk.endSequence)
      }
      return chunks.allSatisfy {
        !open.contains($0.offset) || ended.contains($0.firstSequence..<$0.endSequence)
      }
    }
  }
}

/// Numbers of events, as ranges in ascending order.
private struct NumberRanges {
  private var ranges: [Range<UInt64>] = []

  /// Adds numbers that begin behind the beginning of all that were added before.
  mutating func add(_ new: Range<UInt64>) {
    if let last = ranges.last, new.lowerBound <= last.upperBound {
      ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, new.upperBound)
    } else {
      ranges.append(new)
    }
  }

  func contains(_ numbers: Range<UInt64>) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= numbers.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= numbers.lowerBound
      && numbers.upperBound <= ranges[low].upperBound
  }
}
