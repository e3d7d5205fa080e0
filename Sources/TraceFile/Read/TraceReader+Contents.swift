// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

extension TraceReader {
  /// Whether each event that `other` holds stands here too, of the same writer and under the same
  /// number.
  ///
  /// Events are compared, not bytes: chunks may have other bounds. False where anything in either
  /// cannot be read; but a torn tail holds no event. Reads and decodes what is not the same byte for
  /// byte.
  package func holdsAll(of other: TraceReader) throws(TraceFileError) -> Bool {
    for reader in [self, other] {
      try reader.compareChecksums()
      guard !reader.problems.contains(where: { [.damage, .conflict].contains($0.kind) }) else {
        return false
      }
    }
    for stream in other.streams {
      let held = streams.first { $0.writer == stream.writer }?.chunks ?? []
      guard try holds(stream.chunks, of: other, in: held) else { return false }
    }
    return true
  }

  /// Both in the order of their numbers.
  private func holds(
    _ chunks: [ChunkInfo],
    of other: TraceReader,
    in held: [ChunkInfo]
  ) throws(TraceFileError) -> Bool {
    var comparison = ChunkComparison()
    var index = held.startIndex
    for chunk in chunks {
      var rest = chunk
      search: while true {
        while index < held.count, held[index].endSequence <= rest.firstSequence { index += 1 }
        guard index < held.count, held[index].firstSequence <= rest.firstSequence else {
          return false
        }
        let hasForgotten = forgetNames()
        if other.forgetNames() || hasForgotten { comparison = ChunkComparison() }
        switch try comparison.compare(rest, of: other, with: held[index], of: self) {
        case .nothing: break search
        case .rest(let more): rest = more
        case .conflict, .unreadable, .overUnreadable: return false
        }
      }
    }
    return true
  }
}
