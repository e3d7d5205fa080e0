// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Somebody else who keeps what is recorded, a collector say: what it has need not stay here.
package struct Custody: Sendable {
  /// Takes in what has become known since it was asked last; whether there is something.
  package var hasNews: @Sendable () -> Bool
  /// Whether these events of a writer are kept there, safe against a power cut.
  package var holds: @Sendable (WriterID, Range<UInt64>) -> Bool
  /// Whether they go from here as soon as that is worth a copy of the rest; else only where the
  /// file has reached its size.
  package var isEager: Bool

  /// Somebody who answers by these.
  package init(
    isEager: Bool,
    hasNews: @escaping @Sendable () -> Bool,
    holds: @escaping @Sendable (WriterID, Range<UInt64>) -> Bool
  ) {
    self.isEager = isEager
    self.hasNews = hasNews
    self.holds = holds
  }
}

/// The chunks of a file that is freed of what others keep, and which of them must stay all the same.
///
/// Of a writer that goes on, a successor after a kill needs what its state is folded from, and what
/// was told of its losses: the chunks from the last whole keyframe on, and those that report a loss.
struct FreedChunks {
  private struct Chunk {
    var writer: WriterID
    var numbers: Range<UInt64>
    var bytes: UInt64
    var hasKeyframe: Bool
    var hasLoss: Bool
  }

  /// What may go.
  struct Release {
    var first: [WriterID: Set<UInt64>] = [:]
    var bytes: UInt64 = 0
    var events: UInt64 = 0

    func holds(_ writer: WriterID, _ first: UInt64) -> Bool {
      self.first[writer]?.contains(first) ?? false
    }
  }

  private var chunks: [Chunk] = []
  /// Those whose processes have ended.
  private var ended: Set<WriterID> = []

  /// A chunk is in the file, where it takes so many bytes.
  mutating func add(_ header: ChunkHeader, bytes: UInt64) {
    chunks.append(
      Chunk(
        writer: header.writer,
        numbers: header.firstSequence..<header.firstSequence + UInt64(header.eventCount),
        bytes: bytes,
        hasKeyframe: header.keyframe == .full,
        hasLoss: header.kinds.contains(.loss)
      )
    )
    if header.kinds.contains(.processExit) { ended.insert(header.writer) }
  }

  /// What `custody` holds and nobody needs here.
  func release(by custody: Custody) -> Release {
    var release = Release()
    // From the newest on: those that others build upon are the ones up to a whole keyframe.
    var hasBase = ended
    for chunk in chunks.reversed() {
      let isNeeded = !ended.contains(chunk.writer) && chunk.hasLoss
      let isBase = !hasBase.contains(chunk.writer)
      if chunk.hasKeyframe { hasBase.insert(chunk.writer) }
      guard !isNeeded, !isBase, custody.holds(chunk.writer, chunk.numbers) else { continue }
      release.first[chunk.writer, default: []].insert(chunk.numbers.lowerBound)
      release.bytes += chunk.bytes
      release.events += UInt64(chunk.numbers.count)
    }
    return release
  }

  /// They are gone.
  mutating func remove(_ release: Release) {
    chunks.removeAll { release.holds($0.writer, $0.numbers.lowerBound) }
    ended.formIntersection(chunks.map(\.writer))
  }
}
