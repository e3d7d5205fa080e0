// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension TraceReader {
  /// Compares the table of messages in a chunk's header, which readers take for its messages without
  /// decoding it, with its events; where they differ that is damage of the chunk.
  func compareMessages(_ decoded: DecodedChunk, of chunk: ChunkInfo) throws(TraceFileError) {
    guard let table = decoded.header.messages?.dropping(rows: chunk.skipped) else { return }
    var messages = MessageEdge.Finder()
    for event in decoded.events { messages.add(event) }
    let found = messages.found
    guard table.count == found.count else {
      let damage = ChunkDamage(
        "table of messages",
        found: UInt64(table.count),
        expected: "\(found.count), as there are sends and receives",
        at: 0
      )
      throw note(damage, in: chunk)
    }
    for (entry, message) in zip(table, found) {
      var entry = entry
      // Rows that stand elsewhere may be what others are late behind.
      if chunk.skipped > 0 { entry.lateness = message.lateness }
      guard entry != message else { continue }
      let damage = ChunkDamage(
        "table of messages",
        found: UInt64(entry.row),
        expected: "the send or receive of row \(message.row)",
        at: 0
      )
      throw note(damage, in: chunk)
    }
  }
}
