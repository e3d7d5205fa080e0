// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

extension Timeline {
  /// Hands the events of a chunk out in order, in pieces that are decoded together; `body` says whether to go on.
  func eachPiece(
    ofChunk number: Int,
    of stream: Int,
    _ body: (Span<Event>, Names) -> Bool
  ) {
    let firsts = streams[stream].firstIndices
    pass(firsts[number]..<firsts[number + 1], of: stream, body)
  }

  /// Hands the events of a chunk out, in order; `isInterrupted` is asked each thousand of them.
  func eachEvent(
    ofChunk number: Int,
    of stream: Int,
    isInterrupted: () -> Bool = { false },
    _ body: (Event, Names) -> Void
  ) {
    eachPiece(ofChunk: number, of: stream) { events, names in
      for index in events.indices {
        if index & 0x3ff == 0x3ff, isInterrupted() { return false }
        body(events[index], names)
      }
      return true
    }
  }
}
