// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

extension TraceReader {
  /// What a look at a file that may be growing has shown.
  package enum Sighting: Hashable, Sendable {
    /// Nothing new.
    case same
    /// It has grown, or its writer is gone.
    case more
    /// It was written anew, with all that it had, as at the end of a recording.
    case rewritten
    /// Another recording stands there; this reader stays with the file that it knows.
    case another
    /// Nothing stands there any more.
    case gone
  }

  /// Takes in what was written since, as ``refresh()`` does, unless it is of another recording.
  package func look() throws(TraceFileError) -> Sighting {
    guard let there = File.status(of: path) else { return .gone }
    let wasBeingWritten = isBeingWritten
    if (there.device, there.inode) != identity || there.bytes < validBytes {
      guard try TraceReader(path: path).continues(self) else { return .another }
      try refresh()
      return .rewritten
    }
    let before = fileBytes
    try refresh()
    return fileBytes == before && isBeingWritten == wasBeingWritten ? .same : .more
  }

  /// Whether it has each stream of `other`, with at least as many events.
  private func continues(_ other: TraceReader) -> Bool {
    other.streams.allSatisfy { stream in
      guard let last = stream.chunks.last else { return true }
      let own = streams.first { $0.writer == stream.writer }
      return (own?.chunks.last?.endSequence ?? 0) >= last.endSequence
    }
  }

  /// Behind the last chunk that says that all up to it is settled; 0 where none does.
  ///
  /// Reads the headers of the chunks that were written since it was asked for last.
  package var settledBytes: UInt64 {
    let behind = settledBytesKnown
    var newest = streams.flatMap { $0.chunks.reversed().prefix { $0.offset >= behind } }
    newest.sort { $0.offset > $1.offset }
    for chunk in newest where (try? header(of: chunk))?.settling == .settled {
      settledBytesKnown = chunk.endOffset
      break
    }
    return settledBytesKnown
  }

  /// Whether its recorder settles the order of events while it records.
  package var settles: Bool {
    streams.contains { stream in
      let first = stream.chunks.first.flatMap { try? header(of: $0) }
      return first.map { $0.settling != .none } ?? false
    }
  }
}
