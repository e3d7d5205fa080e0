// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The chunks of one stream put in sequence order, each event once: what stands in several chunks
/// is taken of one of them, conflicts and gaps are named.
struct StreamOrder {
  private(set) var chunks: [ChunkInfo] = []
  private(set) var problems: [TraceProblem] = []
  private(set) var duplicates = 0
  private let stream: TraceStream
  private let reader: TraceReader

  init(
    _ found: [ChunkInfo],
    of stream: TraceStream,
    in reader: TraceReader
  ) throws(TraceFileError) {
    self.stream = stream
    self.reader = reader
    chunks.reserveCapacity(found.count)
    // Of two with one first sequence the longer one comes first; else file order decides.
    let order = found.indices.sorted {
      (found[$0].firstSequence, -found[$0].eventCount, $0)
        < (found[$1].firstSequence, -found[$1].eventCount, $1)
    }
    var comparison = ChunkComparison()
    for index in order { try take(found[index], &comparison) }
    if duplicates > 0 { resolveKeyframes() }
    for index in chunks.indices { countMissing(before: index) }
  }

  private mutating func take(
    _ chunk: ChunkInfo,
    _ comparison: inout ChunkComparison
  ) throws(TraceFileError) {
    guard let last = chunks.last, chunk.firstSequence < last.endSequence else {
      return chunks.append(chunk)
    }
    if chunk.isStandIn {
      duplicates += 1
      return
    }
    switch try comparison.compare(chunk, of: reader, with: last, of: reader) {
    case .nothing:
      duplicates += 1
    case .rest(let rest):
      chunks.append(rest)
    case .unreadable:
      // Only what nobody else tells of is gone with it.
      if chunk.endSequence > last.endSequence { chunks.append(chunk.behind(last)) }
    case .overUnreadable:
      chunks.removeLast()
      try take(chunk, &comparison)
      if let end = chunks.last, last.endSequence > end.endSequence, !last.isStandIn {
        chunks.append(last.behind(end))
      }
    case .conflict:
      tellConflict(chunk, last)
    }
  }

  private mutating func tellConflict(_ chunk: ChunkInfo, _ last: ChunkInfo) {
    problems.append(
      TraceProblem(
        .conflict,
        at: chunk.offset,
        stream: stream.id,
        "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
          + "\(chunk.endSequence - 1) of \(stream.title) again, but others than "
          + "the chunk at byte \(last.offset)"
      )
    )
  }

  /// A state that goes on from a chunk whose events another one holds goes on from that one.
  private mutating func resolveKeyframes() {
    var holder = chunks.startIndex
    for index in chunks.indices {
      guard case .continued(let from) = chunks[index].keyframe else { continue }
      while holder > 0, chunks[holder].firstSequence > from { holder -= 1 }
      while holder + 1 < index, chunks[holder + 1].firstSequence <= from { holder += 1 }
      let other = chunks[holder]
      guard holder < index, other.firstSequence < from, from < other.endSequence else { continue }
      chunks[index].keyframe =
        other.keyframe == .full ? .continued(from: other.firstSequence) : other.keyframe
    }
  }

  private mutating func countMissing(before index: Int) {
    let last = index > 0 ? chunks[index - 1] : nil
    var chunk = chunks[index]
    chunk.missingBefore = chunk.firstSequence - (last?.endSequence ?? 0)
    // A recording that keeps only its last part begins with all that is known by then.
    if chunk.missingBefore > 0, chunk.keyframe == .full,
      (try? reader.header(of: chunk))?.keepsLast ?? false
    {
      chunk.letGoBefore = chunk.missingBefore
      chunk.missingBefore = 0
    }
    chunks[index] = chunk
    // What a repair has counted as lost is not missing without a word.
    if chunk.missingBefore > 0, !(last ?? chunk).isStandIn { tellGap(before: chunk, last) }
  }

  private mutating func tellGap(before chunk: ChunkInfo, _ last: ChunkInfo?) {
    let first = chunk.firstSequence - chunk.missingBefore
    let range =
      "events \(Quantity.grouped(first)) to \(Quantity.grouped(chunk.firstSequence - 1)) of "
      + stream.title
    problems.append(
      last == nil
        ? TraceProblem(
          .noBegin,
          at: chunk.offset,
          stream: stream.id,
          "no beginning: \(range) are not in this file"
        )
        : TraceProblem(.gap, at: chunk.offset, stream: stream.id, "\(range) are missing")
    )
  }
}
