// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What several traces know of one writer.
///
/// *Readable* are the numbers that some trace has. *Known* are those up to the end of the last
/// chunk that some trace mentions, be it damaged or itself a stand-in. Events that are known and
/// not readable are gone, and stand-ins count exactly those, however copies overlap; but events
/// that a flight recorder dropped on purpose are not gone. Where a trace has lost even headers, and
/// no other knows of more, a stand-in with the count 0 says that it is unknown how many more there
/// were.
struct WriterUnion {
  /// Those that can be read.
  private var copies: [ChunkCover.Copy] = []
  /// The chunks to take of them.
  private var cover = ChunkCover()
  /// What some trace says is gone in it.
  private var lost: [StandIn] = []
  private var unknownEnds: [StandIn] = []

  mutating func add(
    _ chunk: ChunkInfo,
    of stream: TraceStream,
    _ reader: TraceReader,
    input: Int,
    isReadable: Bool
  ) {
    if isReadable {
      copies.append(ChunkCover.Copy(chunk: chunk, reader: reader, input: input))
    } else {
      lost.append(StandIn(of: chunk, stream, reader))
    }
  }

  /// What is gone between the chunks of a stream, and perhaps behind them.
  mutating func addGaps(of stream: TraceStream, _ reader: TraceReader) {
    for (index, chunk) in stream.chunks.enumerated() where chunk.missingBefore > 0 {
      var gap = StandIn(before: chunk, stream, reader)
      if index > 0, stream.chunks[index - 1].isStandIn {
        // It stands for its own number too, should it not say for how many.
        gap = StandIn(of: stream.chunks[index - 1], stream, reader)
        gap.count = chunk.firstSequence - gap.sequence
      }
      lost.append(gap)
    }
    guard let last = stream.chunks.last else { return }
    let isUncounted = last.isStandIn && last.countStoodFor == 0
    guard isUncounted || reader.hasLostHeaders else { return }
    let end = last.isStandIn ? StandIn(of: last, stream, reader).end : last.endSequence
    unknownEnds.append(StandIn(behind: stream, at: end))
  }

  /// Each number once: the chunks to take, and whose events are others than those of the same numbers.
  mutating func choose(
    _ problems: inout [(path: String, problem: TraceProblem)]
  ) throws(TraceFileError) -> [ChunkCover.Copy] {
    cover = try ChunkCover(copies, forgetsNames: true)
    copies = []
    for (copy, chosen) in cover.conflicts {
      let chunk = copy.chunk
      let problem = TraceProblem(
        .conflict,
        at: chunk.offset,
        stream: chunk.stream,
        "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
          + "\(chunk.endSequence - 1) of \(copy.reader.streams[Int(chunk.stream.rawValue)].title), "
          + "but others than \(chosen.reader.path) has under the same numbers: they are left out"
      )
      problems.append((copy.reader.path, problem))
    }
    return cover.copies
  }

  // MARK: What is gone

  /// For all that is known and not readable, in order; each begins where some trace says that a loss does.
  func standIns() -> [StandIn] {
    let sorted = lost.sorted { ($0.sequence, $0.end) < ($1.sequence, $1.end) }
    var out = gone(sorted).compactMap { standIn(for: $0, sorted[...$1]) }
    let end = max(cover.copies.last?.chunk.endSequence ?? 0, sorted.map(\.end).max() ?? 0)
    if let unknown = unknownEnds.first(where: { $0.sequence >= end }) { out.append(unknown) }
    return out
  }

  /// The numbers that are gone, cut where a loss begins, and the last loss that begins before their end.
  private func gone(_ sorted: [StandIn]) -> [(piece: Range<UInt64>, loss: Int)] {
    var pieces: [(Range<UInt64>, Int)] = []
    let chosen = cover.copies
    var next = 0
    var behind: UInt64 = 0
    for (index, loss) in sorted.enumerated() {
      // Up to where the next loss begins, this one or an earlier one that reaches farther.
      behind = max(behind, loss.end)
      let most = index + 1 < sorted.count ? min(behind, sorted[index + 1].sequence) : behind
      var low = loss.sequence
      while low < most {
        while next < chosen.count, chosen[next].chunk.endSequence <= low { next += 1 }
        let chunk = next < chosen.count ? chosen[next].chunk : nil
        let high = min(most, next < chosen.count ? chosen[next].chunk.firstSequence : most)
        if low < high { pieces.append((low..<high, index)) }
        low = max(high, chunk?.endSequence ?? most)
      }
    }
    return pieces
  }

  private func standIn(for piece: Range<UInt64>, _ losses: ArraySlice<StandIn>) -> StandIn? {
    let begin = piece.lowerBound
    // Of those that mention it, the one that begins nearest.
    guard var standIn = losses.last(where: { $0.end > begin }) else { return nil }
    var here: [[LossCount]] = []
    for loss in losses.reversed() {
      guard loss.sequence == begin else { break }
      here.append(loss.dropped)
    }
    standIn.dropped = here.max { Self.sum($0) < Self.sum($1) } ?? []
    if here.isEmpty { standIn.keyframe = keyframe(before: begin) }
    standIn.sequence = begin
    standIn.count = piece.upperBound - begin
    return standIn
  }

  private static func sum(_ losses: [LossCount]) -> UInt64 {
    losses.reduce(0) { $0 &+ $1.count }
  }

  /// From where the state is folded that the last chunk before has left.
  private func keyframe(before sequence: UInt64) -> UInt64 {
    cover.copies.last { $0.chunk.endSequence <= sequence }?.chunk.stateOrigin ?? sequence
  }
}
