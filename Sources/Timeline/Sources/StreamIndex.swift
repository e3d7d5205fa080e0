// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Where the chunks of one stream lie, in index and in order time, without decoding any.
package struct StreamIndex: Sendable {
  /// The number of the stream.
  package let id: StreamID
  /// The writer of the stream.
  package let writer: WriterID
  /// What is known of the writer.
  package let attributes: WriterAttributes
  /// How many readable events it has.
  package let count: Int
  /// The chunks with events, in sequence order.
  package let chunks: [ChunkSummary]
  /// By chunk: the number under which the source knows it.
  package let sourceNumbers: [Int]
  /// How many chunks the source has of it, those without events too.
  let sourceCount: Int
  /// By chunk, and the count at the end.
  package let firstIndices: [Int]
  let clock: StreamClock
  var lifts: [Lift] = []
  /// By chunk: no event in it has an order time below.
  private(set) var orderFirst: [Int64] = []
  /// By chunk: the order time of its last event, which is its greatest.
  private(set) var orderLast: [Int64] = []

  init(_ id: StreamID, _ source: SourceStream, _ clock: StreamClock) {
    self.id = id
    writer = source.writer
    attributes = source.attributes
    let filled = source.chunks.indices.filter { source.chunks[$0].eventCount > 0 }
    sourceNumbers = filled
    sourceCount = source.chunks.count
    chunks = filled.map { source.chunks[$0] }
    var sum = 0
    var firsts = [0]
    for chunk in chunks {
      sum += chunk.eventCount
      firsts.append(sum)
    }
    firstIndices = firsts
    count = sum
    self.clock = clock
    measure()
  }

  /// Recomputes the bounds of all chunks after the lifts have changed.
  mutating func measure() {
    orderFirst.removeAll(keepingCapacity: true)
    orderLast.removeAll(keepingCapacity: true)
    var latest = Int64.min
    for (number, chunk) in chunks.enumerated() {
      orderFirst.append(max(latest, clock.ordered(chunk.firstTime)))
      latest = max(latest, clock.ordered(chunk.lastTime))
      if let lift = lifts(of: number).last { latest = max(latest, lift.time) }
      orderLast.append(latest)
    }
  }

  /// The order time that the events of a chunk start from.
  func floor(_ chunk: Int) -> Int64 { chunk == 0 ? .min : orderLast[chunk - 1] }

  func lifts(of chunk: Int) -> ArraySlice<Lift> {
    guard !lifts.isEmpty else { return [] }
    let low = lifts.partitioningIndex { $0.index >= firstIndices[chunk] }
    let high = lifts.partitioningIndex { $0.index >= firstIndices[chunk + 1] }
    return lifts[low..<high]
  }

  /// The chunk that holds the event with this index.
  package func chunk(holding index: Int) -> Int {
    firstIndices.partitioningIndex { $0 > index } - 1
  }

  /// The first chunk in which an order time of `time` or more occurs; the end where none does.
  func chunk(reaching time: Int64) -> Int { orderLast.partitioningIndex { $0 >= time } }

  /// The index of the event with this sequence number, or nil where it is missing.
  package func index(ofSequence sequence: UInt64) -> Int? {
    let chunk = chunks.partitioningIndex { $0.firstSequence > sequence } - 1
    guard chunk >= 0 else { return nil }
    let offset = sequence - chunks[chunk].firstSequence
    return offset < UInt64(chunks[chunk].eventCount) ? firstIndices[chunk] + Int(offset) : nil
  }

  /// The index of the first event with this sequence number or a later one; the count where none is.
  package func index(from sequence: UInt64) -> Int {
    let chunk = chunks.partitioningIndex { $0.endSequence > sequence }
    guard chunk < chunks.count, chunks[chunk].firstSequence < sequence else {
      return firstIndices[chunk]
    }
    return firstIndices[chunk] + Int(sequence - chunks[chunk].firstSequence)
  }

  /// The sequence number of the event with this index.
  package func sequence(ofIndex index: Int) -> UInt64 {
    let number = chunk(holding: index)
    return chunks[number].firstSequence &+ UInt64(index - firstIndices[number])
  }

  /// Whether events are missing just before this chunk.
  package func hasGap(before chunk: Int) -> Bool {
    chunk > 0
      && chunks[chunk].firstSequence
        != chunks[chunk - 1].firstSequence &+ UInt64(chunks[chunk - 1].eventCount)
  }
}

extension RandomAccessCollection {
  /// The first index at which `isSecond` holds, in a collection sorted so that it holds from there on.
  package func partitioningIndex(_ isSecond: (Element) -> Bool) -> Index {
    var low = startIndex
    var length = count
    while length > 0 {
      let half = length / 2
      let middle = index(low, offsetBy: half)
      if isSecond(self[middle]) {
        length = half
      } else {
        low = index(after: middle)
        length -= half + 1
      }
    }
    return low
  }
}
