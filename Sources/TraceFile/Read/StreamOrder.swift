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
    let cover = try ChunkCover(
      found.map { ChunkCover.Copy(chunk: $0, reader: reader) },
      forgetsNames: false
    )
    chunks = cover.copies.map(\.chunk)
    duplicates = cover.duplicates
    for (copy, chosen) in cover.conflicts { noteConflict(copy.chunk, chosen.chunk) }
    if duplicates > 0 { resolveKeyframes() }
    for index in chunks.indices { countMissing(before: index) }
  }

  private mutating func noteConflict(_ chunk: ChunkInfo, _ last: ChunkInfo) {
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
      chunks[index].stateOrigin = other.stateOrigin
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
