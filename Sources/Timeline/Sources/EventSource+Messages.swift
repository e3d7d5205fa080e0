// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

extension EventSource {
  /// The sends and receives of a chunk; decodes it where its header has no table of them.
  package func messages(
    chunk: Int,
    of stream: StreamID,
    in buffer: StrideBuffer
  ) -> [MessageEdge] {
    let summary = streams[Int(stream.rawValue)].chunks[chunk]
    guard summary.kinds.hasMessages else { return [] }
    if let table = messages(chunk: chunk, of: stream) { return table }
    guard case .success(let content) = decode(chunk: chunk, of: stream) else { return [] }
    var messages = MessageEdge.Finder()
    for stride in 0..<content.strideCount {
      messages.begin(at: content.rows(of: stride).lowerBound)
      // Damage is met again, and said, by whoever reads the events.
      try? content.withEvents(of: stride, in: buffer) { events in
        for place in events.indices { messages.add(events[place]) }
      }
    }
    return messages.found
  }

  /// Calls `body` for the events of a stream of some kinds, in order, with what their chunk says of
  /// itself.
  ///
  /// What cannot be read is left out. `ask` is called before each chunk, and what it throws ends it.
  package func eachEvent<Failure>(
    _ kinds: KindSet,
    of stream: Int,
    _ ask: () throws(Failure) -> Void,
    _ body: (Event, ChunkSummary) -> Void
  ) throws(Failure) {
    let buffer = StrideBuffer()
    let id = StreamID(rawValue: UInt32(stream))
    for (number, chunk) in streams[stream].chunks.enumerated()
    where !chunk.kinds.isDisjoint(with: kinds) {
      try ask()
      guard case .success(let content) = decode(chunk: number, of: id) else { continue }
      for stride in 0..<content.strideCount {
        try? content.withEvents(of: stride, in: buffer) { events in
          for place in events.indices where kinds.contains(events[place].kind) {
            body(events[place], chunk)
          }
        }
      }
    }
  }
}
