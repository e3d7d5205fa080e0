// SPDX-License-Identifier: Apache-2.0

/// When streams live and how many events lie before a time, as far as chunk headers show.
///
/// A recording of a build has thousands of streams of a few events each: here a
/// question costs as many steps as the number of chunks has binary digits, and
/// one for each stream that it finds.
struct ChunkSpans {
  /// When a stream begins, and just after one ends, sorted.
  let bounds: [Int64]
  /// Chunks by their begin, and by their end.
  private let begun: Counts
  private let ended: Counts
  /// Streams in order of their first time.
  private let byBegin: [(begin: Int64, end: Int64, stream: Int)]
  /// The greatest end below each node of a binary tree over ``byBegin``; leaves behind `leaves`.
  private var latestEnd: [Int64]
  private let leaves: Int

  /// Sorted times, with how many events there are up to each.
  private struct Counts {
    var times: [Int64] = []
    var sums: [Int] = [0]

    init(_ chunks: [(time: Int64, events: Int)]) {
      for chunk in chunks.sorted(by: { $0.time < $1.time }) {
        times.append(chunk.time)
        sums.append(sums[sums.count - 1] + chunk.events)
      }
    }

    func events(before time: Int64) -> Int { sums[times.partitioningIndex { $0 >= time }] }
  }

  init(_ streams: [StreamIndex]) {
    var begins: [(time: Int64, events: Int)] = []
    var ends: [(time: Int64, events: Int)] = []
    var living: [(begin: Int64, end: Int64, stream: Int)] = []
    for (number, stream) in streams.enumerated() {
      for chunk in stream.chunks.indices {
        begins.append((stream.orderFirst[chunk], stream.chunks[chunk].eventCount))
        ends.append((stream.orderLast[chunk], stream.chunks[chunk].eventCount))
      }
      guard let begin = stream.orderFirst.first, let end = stream.orderLast.last else { continue }
      living.append((begin, end, number))
    }
    begun = Counts(begins)
    ended = Counts(ends)
    bounds = Set(living.map(\.begin) + living.map { $0.end == .max ? $0.end : $0.end + 1 }).sorted()
    byBegin = living.sorted { $0.begin < $1.begin }
    var leaves = 1
    while leaves < byBegin.count { leaves *= 2 }
    self.leaves = leaves
    latestEnd = Array(repeating: .min, count: 2 * leaves)
    for (place, span) in byBegin.enumerated() { latestEnd[leaves + place] = span.end }
    for node in stride(from: leaves - 1, to: 0, by: -1) {
      latestEnd[node] = max(latestEnd[2 * node], latestEnd[2 * node + 1])
    }
  }

  /// At least and at most how many events lie before `time`, without decoding.
  func headerCount(before time: Int64) -> ClosedRange<Int> {
    let least = ended.events(before: time)
    return least...max(least, begun.events(before: time))
  }

  /// The streams with an event between two times, as far as headers show, in no order.
  func living(from first: Int64, through last: Int64) -> [Int] {
    let begun = byBegin.partitioningIndex { $0.begin > last }
    var found: [Int] = []
    var open = [(node: 1, place: 0, width: leaves)]
    while let (node, place, width) = open.popLast() {
      guard place < begun, latestEnd[node] >= first else { continue }
      if width == 1 {
        found.append(byBegin[place].stream)
      } else {
        open.append((2 * node, place, width / 2))
        open.append((2 * node + 1, place + width / 2, width / 2))
      }
    }
    return found
  }
}
