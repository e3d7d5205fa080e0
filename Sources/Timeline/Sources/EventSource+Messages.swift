// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension EventSource {
  /// The sends and receives of a chunk; decodes it where its header has no table of them.
  func messages(
    chunk: Int,
    of stream: StreamID,
    in buffer: StrideBuffer
  ) -> [MessageEdge] {
    let summary = streams[Int(stream.rawValue)].chunks[chunk]
    guard summary.kinds.contains(.messageSend) || summary.kinds.contains(.messageReceive) else {
      return []
    }
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
}
