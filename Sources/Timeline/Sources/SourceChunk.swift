// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A chunk at hand, whose events are decoded when they are asked for: stride by stride, or their times.
package final class SourceChunk {
  private enum Content {
    /// Rows of a file's chunk, without the first ones, which stand in another chunk.
    case payload(ChunkPayload, skipped: Int)
    /// Events as they are.
    case events(ArraySlice<Event>)
  }

  private let content: Content
  /// How many events it holds.
  package let count: Int
  /// The folded state before the first event; empty where the chunk carries none of its own.
  package let keyframe: [UInt8]

  /// A chunk of a file, but for its first `skipped` rows; those events carry the number of the stream.
  package init(_ payload: ChunkPayload, skipped: Int) {
    content = .payload(payload, skipped: skipped)
    count = max(0, payload.header.eventCount - skipped)
    keyframe = skipped == 0 ? payload.keyframe : []
  }

  /// Events in memory, which carry no keyframe.
  package init(_ events: ArraySlice<Event>) {
    content = .events(events)
    count = events.count
    keyframe = []
  }

  /// The memory that it takes, about.
  var bytes: Int {
    switch content {
    // Tables and places of columns take less than that.
    case .payload(let payload, _): payload.bytes.count + keyframe.count + 16_384
    case .events: 160
    }
  }

  /// Into how many pieces that decode together its events fall.
  var strideCount: Int {
    switch content {
    case .payload(let payload, _): payload.strideCount
    case .events(let events): Chunk.strides(rows: events.count)
    }
  }

  /// The stride in which an event is.
  func stride(holding row: Int) -> Int { (row + skipped) / Chunk.strideRows }

  /// Which of its events a stride holds, counted from the first event.
  func rows(of stride: Int) -> Range<Int> {
    let first = max(0, stride * Chunk.strideRows - skipped)
    return first..<max(first, min((stride + 1) * Chunk.strideRows - skipped, count))
  }

  /// Whether some event of a stride may be of one of `kinds`; decodes nothing.
  func mayHold(_ kinds: KindSet, in stride: Int) -> Bool {
    switch content {
    case .payload(let payload, _): payload.holds(kinds, in: stride)
    case .events: true
    }
  }

  /// Whether some event may mention one of the names; decodes nothing.
  func mayMention(_ names: Set<NameID>) -> Bool {
    switch content {
    case .payload(let payload, _): payload.mentions(names)
    case .events: true
    }
  }

  /// The events of a stride.
  func events(of stride: Int) throws(ChunkDamage) -> ArraySlice<Event> {
    switch content {
    case .payload(let payload, let skipped):
      let all = try payload.decode(strides: stride..<stride + 1)
      return all.dropFirst(max(0, skipped - stride * Chunk.strideRows))
    case .events(let events):
      let rows = rows(of: stride)
      return events[events.startIndex + rows.lowerBound..<events.startIndex + rows.upperBound]
    }
  }

  /// Hands the events of a stride to `body`, in the memory of `buffer` where they are decoded.
  func withEvents<Result>(
    of stride: Int,
    in buffer: StrideBuffer,
    _ body: (Span<Event>) -> Result
  ) throws(ChunkDamage) -> Result {
    switch content {
    case .payload(let payload, let skipped):
      let first = max(0, skipped - stride * Chunk.strideRows)
      return try payload.withEvents(of: stride, in: buffer) { events in
        body(events.extracting(min(first, events.count)..<events.count))
      }
    case .events(let events):
      let rows = rows(of: stride)
      return body(events.span.extracting(rows))
    }
  }

  /// Hands the times of its events to `body`, stride by stride.
  func withTimes(
    in buffer: StrideBuffer,
    _ body: (Span<Int64>) -> Void
  ) throws(ChunkDamage) {
    switch content {
    case .payload(let payload, let skipped):
      for stride in 0..<payload.strideCount {
        let first = max(0, skipped - stride * Chunk.strideRows)
        try payload.withTimes(of: stride, in: buffer) { times in
          body(times.extracting(min(first, times.count)..<times.count))
        }
      }
    case .events(let events):
      let times = events.map(\.time.rawValue)
      body(times.span)
    }
  }

  private var skipped: Int {
    if case .payload(_, let skipped) = content { skipped } else { 0 }
  }
}
