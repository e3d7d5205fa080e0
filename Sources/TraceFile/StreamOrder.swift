// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The chunks of one stream put in sequence order: copies dropped, conflicts and gaps named.
struct StreamOrder {
  private(set) var chunks: [ChunkInfo] = []
  private(set) var problems: [TraceProblem] = []
  private(set) var duplicates = 0
  private let stream: TraceStream

  /// `keepsLast` says whether what is missing before a chunk was left out on purpose.
  init(_ found: [ChunkInfo], of stream: TraceStream, keepsLast: (ChunkInfo) -> Bool) {
    self.stream = stream
    chunks.reserveCapacity(found.count)
    // Of two with one first sequence the longer one comes first; else file order decides.
    let order = found.indices.sorted {
      (found[$0].firstSequence, -found[$0].eventCount, $0)
        < (found[$1].firstSequence, -found[$1].eventCount, $1)
    }
    for index in order {
      var chunk = found[index]
      if let last = chunks.last {
        if chunk.firstSequence < last.endSequence {
          reject(chunk, for: last)
          continue
        }
        chunk.missingBefore = chunk.firstSequence - last.endSequence
      } else {
        chunk.missingBefore = chunk.firstSequence
      }
      // A recording that keeps only its last part begins with all that is known by then.
      if chunk.missingBefore > 0, chunk.keyframe == .full, keepsLast(chunk) {
        chunk.letGoBefore = chunk.missingBefore
        chunk.missingBefore = 0
      }
      // What a repair has counted as lost is not missing without a word.
      if chunk.missingBefore > 0, !(chunks.last ?? chunk).isStandIn { tellGap(before: chunk) }
      chunks.append(chunk)
    }
  }

  private mutating func tellGap(before chunk: ChunkInfo) {
    let first = chunk.firstSequence - chunk.missingBefore
    let range =
      "events \(Quantity.grouped(first)) to \(Quantity.grouped(chunk.firstSequence - 1)) of "
      + stream.title
    problems.append(
      chunks.isEmpty
        ? TraceProblem(
          .noBegin,
          at: chunk.offset,
          stream: stream.id,
          "no beginning: \(range) are not in this file"
        )
        : TraceProblem(.gap, at: chunk.offset, stream: stream.id, "\(range) are missing")
    )
  }

  private mutating func reject(_ chunk: ChunkInfo, for last: ChunkInfo) {
    if chunk.isCopy(of: last) || chunk.isStandIn {
      duplicates += 1
      return
    }
    problems.append(
      TraceProblem(
        .conflict,
        at: chunk.offset,
        stream: stream.id,
        "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
          + "\(chunk.endSequence - 1) of \(stream.title) again, with other bytes than "
          + "the chunk at byte \(last.offset)"
      )
    )
  }
}
