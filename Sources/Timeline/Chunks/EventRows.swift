// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Events of one chunk that follow each other, decoded: a stride, or less where many writers live.
package final class EventRows {
  /// The stream they belong to.
  package let stream: StreamID
  /// The index of their chunk among the chunks of the stream.
  package let chunk: Int
  /// The index in the stream of the first of them.
  package let firstIndex: Int
  /// The events, in sequence order.
  package let events: [Event]
  /// Whether the chunk cannot be read, and each event stands for one that it held.
  package let isDamaged: Bool

  init(stream: StreamID, chunk: Int, firstIndex: Int, events: [Event], isDamaged: Bool) {
    self.stream = stream
    self.chunk = chunk
    self.firstIndex = firstIndex
    self.events = events
    self.isDamaged = isDamaged
  }

  /// The indices in the stream that they cover.
  package var indices: Range<Int> { firstIndex..<firstIndex + events.count }

  /// The event with this index in the stream.
  @inline(__always)
  package subscript(index: Int) -> Event { events[index - firstIndex] }
}
