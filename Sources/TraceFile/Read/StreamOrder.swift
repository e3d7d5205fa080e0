// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The chunks of one stream put in sequence order, each event once: events in several chunks are
/// taken from one of them; conflicts and gaps are named.
struct StreamOrder {
  private(set) var chunks: [ChunkCover.Copy]
  /// Each with the file that it is about.
  private(set) var problems: [(file: Int, problem: TraceProblem)] = []
  let duplicates: Int
  private let stream: TraceStream

  /// The input of a copy is the file that it is in.
  init(_ found: [ChunkCover.Copy], of stream: TraceStream) throws(TraceFileError) {
    self.stream = stream
    let cover = try ChunkCover(found, forgetsNames: false)
    chunks = cover.copies
    duplicates = cover.duplicates
    for (copy, chosen) in cover.conflicts { noteConflict(copy, chosen) }
    if duplicates > 0 { resolveKeyframes() }
    for index in chunks.indices { countMissing(before: index) }
  }

  private mutating func noteConflict(_ copy: ChunkCover.Copy, _ chosen: ChunkCover.Copy) {
    let chunk = copy.chunk
    let other = copy.input == chosen.input ? "" : " of \(Printable.line(chosen.reader.path))"
    let problem = TraceProblem(
      .conflict,
      at: chunk.offset,
      stream: stream.id,
      "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
        + "\(chunk.endSequence - 1) of \(stream.title) again, but others than "
        + "the chunk at byte \(chosen.chunk.offset)\(other)"
    )
    problems.append((copy.input, problem))
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
      chunks[index].chunk.stateOrigin = other.stateOrigin
    }
  }

  private mutating func countMissing(before index: Int) {
    let end = index > 0 ? chunks[index - 1].chunk.summary.endSequence : 0
    let missing = chunks[index].chunk.summary.firstSequence - end
    chunks[index].chunk.summary.missingBefore = missing
    chunks[index].chunk.summary.letGoBefore = 0
    guard missing > 0 else { return }
    let last = index > 0 ? chunks[index - 1].chunk : nil
    var chunk = chunks[index].chunk
    // A recording that keeps only its last part begins with all that is known by then.
    if chunk.keyframe == .full,
      (try? chunks[index].reader.header(of: chunk))?.keepsLast ?? false
    {
      chunk.letGoBefore = chunk.missingBefore
      chunk.missingBefore = 0
    }
    chunks[index].chunk = chunk
    // What a repair has counted as lost is not missing without a word.
    if chunk.missingBefore > 0, !(last ?? chunk).isStandIn {
      problems.append((chunks[index].input, gap(before: chunk, last)))
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
