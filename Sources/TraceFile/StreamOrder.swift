// SPDX-License-Identifier: Apache-2.0
internal import Trace

/// The chunks of one stream put in sequence order: copies dropped, conflicts and gaps named.
struct StreamOrder {
  private(set) var chunks: [ChunkInfo] = []
  private(set) var problems: [TraceProblem] = []
  private(set) var duplicates = 0

  init(_ found: [ChunkInfo], of stream: StreamID) {
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
          reject(chunk, for: last, stream)
          continue
        }
        chunk.missingBefore = chunk.firstSequence - last.endSequence
        // What a repair has counted as lost is not missing without a word.
        if chunk.missingBefore > 0, !last.isStandIn { tellGap(before: chunk, stream) }
      } else if chunk.firstSequence > 0, chunk.keyframe != .full {
        // A recording that keeps only its last part begins with all that is known by then.
        chunk.missingBefore = chunk.firstSequence
        if !chunk.isStandIn { tellGap(before: chunk, stream) }
      }
      chunks.append(chunk)
    }
  }

  private mutating func tellGap(before chunk: ChunkInfo, _ stream: StreamID) {
    let first = chunk.firstSequence - chunk.missingBefore
    problems.append(
      TraceProblem(
        .gap,
        at: chunk.offset,
        stream: stream,
        "events \(first) to \(chunk.firstSequence - 1) of stream \(stream.rawValue) are missing"
      )
    )
  }

  private mutating func reject(_ chunk: ChunkInfo, for last: ChunkInfo, _ stream: StreamID) {
    if chunk.isCopy(of: last) || chunk.isStandIn {
      duplicates += 1
      return
    }
    problems.append(
      TraceProblem(
        .conflict,
        at: chunk.offset,
        stream: stream,
        "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
          + "\(chunk.endSequence - 1) of stream \(stream.rawValue) again, with other bytes than "
          + "the chunk at byte \(last.offset)"
      )
    )
  }
}
