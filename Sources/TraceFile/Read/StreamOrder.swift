// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The chunks of one stream put in sequence order, each event once: what stands in several chunks
/// is taken of one of them, conflicts and gaps are named.
struct StreamOrder {
  /// A chunk, and what reads it.
  struct Found {
    var chunk: ChunkInfo
    let reader: TraceReader
    /// Which of several files it is in.
    var file = 0
  }

  private(set) var chunks: [Found] = []
  /// Each with the file that it is about.
  private(set) var problems: [(file: Int, problem: TraceProblem)] = []
  private(set) var duplicates = 0
  private let stream: TraceStream

  init(_ found: [Found], of stream: TraceStream) throws(TraceFileError) {
    self.stream = stream
    chunks.reserveCapacity(found.count)
    // Of two with one first sequence the longer one comes first; else file order decides.
    let order = found.indices.sorted {
      (found[$0].chunk.firstSequence, -found[$0].chunk.eventCount, $0)
        < (found[$1].chunk.firstSequence, -found[$1].chunk.eventCount, $1)
    }
    var comparison = ChunkComparison()
    for index in order { try take(found[index], &comparison) }
    if duplicates > 0 { resolveKeyframes() }
    for index in chunks.indices { countMissing(before: index) }
  }

  private mutating func take(
    _ found: Found,
    _ comparison: inout ChunkComparison
  ) throws(TraceFileError) {
    guard let last = chunks.last, found.chunk.firstSequence < last.chunk.endSequence else {
      return chunks.append(found)
    }
    if found.chunk.isStandIn {
      duplicates += 1
      return
    }
    let overlap = try comparison.compare(
      found.chunk,
      of: found.reader,
      with: last.chunk,
      of: last.reader
    )
    switch overlap {
    case .nothing:
      duplicates += 1
    case .rest(let rest):
      append(rest, of: found)
    case .unreadable:
      // Only what nobody else tells of is gone with it.
      if found.chunk.endSequence > last.chunk.endSequence {
        append(found.chunk.behind(last.chunk), of: found)
      }
    case .overUnreadable:
      chunks.removeLast()
      try take(found, &comparison)
      if let end = chunks.last?.chunk, last.chunk.endSequence > end.endSequence,
        !last.chunk.isStandIn
      {
        append(last.chunk.behind(end), of: last)
      }
    case .conflict:
      tellConflict(found, last)
    }
  }

  private mutating func append(_ rest: ChunkInfo, of found: Found) {
    chunks.append(Found(chunk: rest, reader: found.reader, file: found.file))
  }

  private mutating func tellConflict(_ found: Found, _ last: Found) {
    let chunk = found.chunk
    let other = found.file == last.file ? "" : " of \(Printable.line(last.reader.path))"
    let problem = TraceProblem(
      .conflict,
      at: chunk.offset,
      stream: stream.id,
      "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
        + "\(chunk.endSequence - 1) of \(stream.title) again, but others than "
        + "the chunk at byte \(last.chunk.offset)\(other)"
    )
    problems.append((found.file, problem))
  }

  /// A state that goes on from a chunk whose events another one holds goes on from that one.
  private mutating func resolveKeyframes() {
    var holder = chunks.startIndex
    for index in chunks.indices {
      guard case .continued(let from) = chunks[index].chunk.keyframe else { continue }
      while holder > 0, chunks[holder].chunk.firstSequence > from { holder -= 1 }
      while holder + 1 < index, chunks[holder + 1].chunk.firstSequence <= from { holder += 1 }
      let other = chunks[holder].chunk
      guard holder < index, other.firstSequence < from, from < other.endSequence else { continue }
      chunks[index].chunk.keyframe =
        other.keyframe == .full ? .continued(from: other.firstSequence) : other.keyframe
    }
  }

  private mutating func countMissing(before index: Int) {
    let last = index > 0 ? chunks[index - 1].chunk : nil
    var chunk = chunks[index].chunk
    chunk.missingBefore = chunk.firstSequence - (last?.endSequence ?? 0)
    chunk.letGoBefore = 0
    // A recording that keeps only its last part begins with all that is known by then.
    if chunk.missingBefore > 0, chunk.keyframe == .full,
      (try? chunks[index].reader.header(of: chunk))?.keepsLast ?? false
    {
      chunk.letGoBefore = chunk.missingBefore
      chunk.missingBefore = 0
    }
    chunks[index].chunk = chunk
    // What a repair has counted as lost is not missing without a word.
    if chunk.missingBefore > 0, !(last ?? chunk).isStandIn {
      problems.append((chunks[index].file, gap(before: chunk, last)))
    }
  }

  private func gap(before chunk: ChunkInfo, _ last: ChunkInfo?) -> TraceProblem {
    let first = chunk.firstSequence - chunk.missingBefore
    let range =
      "events \(Quantity.grouped(first)) to \(Quantity.grouped(chunk.firstSequence - 1)) of "
      + stream.title
    return last == nil
      ? TraceProblem(
        .noBegin,
        at: chunk.offset,
        stream: stream.id,
        "no beginning: \(range) are not in this file"
      )
      : TraceProblem(.gap, at: chunk.offset, stream: stream.id, "\(range) are missing")
  }
}
