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

  /// Whether all events of the streams of some files stand in chunks of a recording that ended well.
  ///
  /// A copy that was taken while recording says nothing of an end; beside the finished trace, in
  /// one file with it or not, it has nothing that is not there too.
  static func holdAll(
    _ files: [(ended: EndedChunks, streams: [(writer: WriterID, chunks: [ChunkInfo])])]
  ) -> Bool {
    guard files.contains(where: \.ended.hasEnd) else { return false }
    guard files.contains(where: { !$0.ended.open.isEmpty }) else { return true }
    var open: [WriterID: [ChunkInfo]] = [:]
    for file in files where !file.ended.open.isEmpty {
      let offsets = Set(file.ended.open)
      for (writer, chunks) in file.streams {
        open[writer, default: []] += chunks.filter { offsets.contains($0.offset) }
      }
    }
    var ended: [WriterID: [ChunkInfo]] = [:]
    for file in files {
      let offsets = Set(file.ended.open)
      for (writer, chunks) in file.streams where open[writer]?.isEmpty == false {
        ended[writer, default: []] += chunks.filter { !offsets.contains($0.offset) }
      }
    }
    return open.allSatisfy { writer, chunks in
      var held = HeldSequences()
      for chunk in (ended[writer] ?? []).sorted(by: { $0.firstSequence < $1.firstSequence }) {
        held.add(chunk.firstSequence, chunk.endSequence)
      }
      return chunks.allSatisfy { held.contains($0.firstSequence..<$0.endSequence) }
    }
  }
}

extension TraceReader {
  /// Whether all events of the traces stand in stretches that say that their recording ended well,
  /// be it in another of them.
  static func haveEnd(_ readers: [TraceReader]) -> Bool {
    guard readers.allSatisfy({ $0.tail == nil }) else { return false }
    return EndedChunks.holdAll(
      readers.map { reader in
        (reader.ended, reader.streams.map { ($0.writer, reader.found[Int($0.id.rawValue)]) })
      }
    )
  }
}
