// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

extension Timeline {
  /// Hands the events of a chunk out, in order.
  func eachEvent(ofChunk number: Int, of stream: Int, _ body: (Event, Names) -> Void) {
    let events = openChunk(number, of: stream).events
    let names = self.names
    events.withUnsafeBufferPointer { for index in $0.indices { body($0[index], names) } }
  }
}
