// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

extension Timeline {
  /// Hands the events of a chunk out, in order.
  func eachEvent(ofChunk number: Int, of stream: Int, _ body: (Event, Names) -> Void) {
    let firsts = streams[stream].firstIndices
    pass(firsts[number]..<firsts[number + 1], of: stream) { events, names in
      for index in events.indices { body(events[index], names) }
      return true
    }
  }
}
