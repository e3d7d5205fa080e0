// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Chunks of one writer that hold each of its events once, chosen from all that hold some of them.
///
///     let cover = try ChunkCover(copies)
///     cover.copies                     // in sequence order, no two overlap
///
/// Of chunks that overlap, one is taken whole; the others give only the events behind it. Both
/// reading one file and merging several ask here which events there are.
struct ChunkCover {
  /// A chunk, and its reader.
  struct Copy {
    var chunk: ChunkInfo
    var reader: TraceReader
    /// Which of several inputs it is of.
    var input = 0
  }

  /// Those that were chosen, in sequence order.
  private(set) var copies: [Copy] = []
  /// How many brought nothing that others do not have.
  private(set) var duplicates = 0
  /// Those that hold other events under the same numbers than one that was chosen.
  private(set) var conflicts: [(copy: Copy, chosen: Copy)] = []
  private let forgetsNames: Bool
  private var comparison = ChunkComparison()

  /// A cover without chunks, whose names stay.
  init() { forgetsNames = false }

  /// Reads chunks only where they overlap; throws where a file cannot be read at all.
  ///
  /// `forgetsNames` where ids that the readers gave out are not kept: then the tables do not grow.
  init(_ all: [Copy], forgetsNames: Bool) throws(TraceFileError) {
    self.forgetsNames = forgetsNames
    // One recorder writes them like that, and most files are of one.
    if all.indices.dropFirst().allSatisfy({
      all[$0 - 1].chunk.summary.endSequence <= all[$0].chunk.summary.firstSequence
    }) {
      copies = all
      return
    }
    copies.reserveCapacity(all.count)
    // Where two begin alike, the longer one comes first; else their order decides.
    let order = all.indices.sorted {
      (all[$0].chunk.firstSequence, -all[$0].chunk.eventCount, $0)
        < (all[$1].chunk.firstSequence, -all[$1].chunk.eventCount, $1)
    }
    for index in order { try take(all[index]) }
  }

  private mutating func take(_ copy: Copy) throws(TraceFileError) {
    guard let last = copies.last, copy.chunk.firstSequence < last.chunk.endSequence else {
      return copies.append(copy)
    }
    if copy.chunk.isStandIn {
      duplicates += 1
      return
    }
    if forgetsNames {
      let hasForgotten = copy.reader.forgetNames()
      if last.reader.forgetNames() || hasForgotten { comparison = ChunkComparison() }
    }
    switch try comparison.compare(copy.chunk, of: copy.reader, with: last.chunk, of: last.reader) {
    case .nothing:
      duplicates += 1
    case .rest(let rest):
      copies.append(Copy(chunk: rest, reader: copy.reader, input: copy.input))
    case .unreadable:
      // Only the events that no other chunk holds are gone with it.
      appendRest(of: copy, behind: last)
    case .overUnreadable:
      copies.removeLast()
      try take(copy)
      if let end = copies.last, !last.chunk.isStandIn { appendRest(of: last, behind: end) }
    case .conflict:
      conflicts.append((copy, last))
    }
  }

  private mutating func appendRest(of copy: Copy, behind other: Copy) {
    guard copy.chunk.endSequence > other.chunk.endSequence else { return }
    let rest = copy.chunk.behind(other.chunk)
    copies.append(Copy(chunk: rest, reader: copy.reader, input: copy.input))
  }
}
