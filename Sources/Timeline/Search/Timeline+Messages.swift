// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension Timeline {
  /// A send or a receive, as a chunk's header has it.
  package struct MessageEnd: Sendable {
    /// The event.
    package let place: EventPlace
    /// Which message.
    package let flow: UInt64
    /// Sent; else received.
    package let isSend: Bool
  }

  /// The sends and receives of `flows`, in order.
  ///
  /// Takes a look at the table of each chunk that has messages; one without a table is decoded.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so between two chunks.
  package func messages(
    of flows: Set<UInt64>,
    isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> [MessageEnd] {
    var ends: [MessageEnd] = []
    let buffer = StrideBuffer()
    for stream in streams {
      for (number, first) in zip(stream.sourceNumbers, stream.firstIndices) {
        if isInterrupted() { throw SearchInterrupted() }
        for edge in source.messages(chunk: number, of: stream.id, in: buffer)
        where flows.contains(edge.flow) {
          let place = EventPlace(stream: stream.id, index: first + edge.row)
          ends.append(MessageEnd(place: place, flow: edge.flow, isSend: edge.isSend))
        }
      }
    }
    return ends.sorted { isBefore($0.place, $1.place) }
  }
}
