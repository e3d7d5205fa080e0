// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The sends and receives of a recording, flow by flow.
///
///     let messages = MessageShares(of: streams, in: source, buffer, endsMax: 1 << 20)
///     messages.eachPair { send, receive in … }
///
/// However many there are, at most `endsMax` sends and receives are in memory: a share of the flows at a
/// time, whose ends are found in the tables of chunk headers when its turn comes. Where there are no
/// more than that, they are found once and kept.
struct MessageShares {
  /// A send or a receive, with the time by which it is ordered among those of its stream.
  struct End: Comparable {
    var flow: UInt64
    var time: Int64
    /// The index of the event in its stream.
    var index: Int
    /// The place of the stream among those that were handed in.
    var stream: UInt32
    var isSend: Bool

    /// The sends of a flow before its receives, each in the order of their times.
    static func < (one: End, other: End) -> Bool {
      if one.flow != other.flow { return one.flow < other.flow }
      if one.isSend != other.isSend { return one.isSend }
      if one.time != other.time { return one.time < other.time }
      return (one.stream, one.index) < (other.stream, other.index)
    }
  }

  private static let bucketBits: UInt64 = 12

  private let eachEnd: ((End) -> Void) -> Void
  /// All ends in order, where they are few.
  private var all: [End]?
  /// Else which flows belong together, by their buckets.
  private var shares: [Range<Int>] = []

  /// The messages whose ends `eachEnd` hands out, the same each time.
  ///
  /// `endsMax` is exceeded where more of one flow, or of flows that share a bucket, come together.
  init(endsMax: Int, eachEnd: @escaping ((End) -> Void) -> Void) {
    self.eachEnd = eachEnd
    var counts = Array(repeating: 0, count: 1 << Self.bucketBits)
    var count = 0
    var ends: [End] = []
    eachEnd { end in
      counts[Self.bucket(end.flow)] += 1
      count += 1
      if count <= endsMax { ends.append(end) } else if count == endsMax + 1 { ends = [] }
    }
    guard count > endsMax else {
      ends.sort()
      all = ends
      return
    }
    var (first, sum) = (0, 0)
    for bucket in counts.indices {
      if sum > 0, sum + counts[bucket] > endsMax {
        shares.append(first..<bucket)
        (first, sum) = (bucket, 0)
      }
      sum += counts[bucket]
    }
    shares.append(first..<counts.count)
  }

  /// Whether all of them are in memory.
  var isWhole: Bool { all != nil }

  /// For each receive that another stream has sent, the first of those sends.
  ///
  /// A flow is one message: one that is sent again keeps it, and it may arrive at many, or twice; which
  /// of its sends a receive belongs to is not known, but the first is before it. Where not all are in
  /// memory, the tables are read once for each share.
  func eachPair(_ body: (_ send: End, _ receive: End) -> Void) {
    eachFlow { Self.pair($0, body) }
  }

  /// The ends of each flow, in order.
  func eachFlow(_ body: (ArraySlice<End>) -> Void) {
    if let all { return Self.eachFlow(of: all, body) }
    for share in shares {
      var ends: [End] = []
      eachEnd { if share.contains(Self.bucket($0.flow)) { ends.append($0) } }
      ends.sort()
      Self.eachFlow(of: ends, body)
    }
  }

  /// By Fibonacci hashing: flows are often counted.
  private static func bucket(_ flow: UInt64) -> Int {
    Int((flow &* 0x9e37_79b9_7f4a_7c15) >> (64 - bucketBits))
  }

  private static func eachFlow(of ends: [End], _ body: (ArraySlice<End>) -> Void) {
    var start = 0
    while start < ends.count {
      var end = start + 1
      while end < ends.count, ends[end].flow == ends[start].flow { end += 1 }
      body(ends[start..<end])
      start = end
    }
  }

  private static func pair(
    _ flow: ArraySlice<End>,
    _ body: (_ send: End, _ receive: End) -> Void
  ) {
    guard let first = flow.first, first.isSend else { return }
    let receives = flow.firstIndex { !$0.isSend } ?? flow.endIndex
    let another = flow[..<receives].first { $0.stream != first.stream }
    for receive in flow[receives...] {
      let send = receive.stream != first.stream ? first : another
      if let send { body(send, receive) }
    }
  }
}

extension MessageShares {
  /// The messages of `streams`, whose order decides between sends of one time, with the order times that
  /// their streams alone give them; reads their tables.
  init(
    of streams: [StreamIndex],
    in source: any EventSource,
    _ buffer: StrideBuffer,
    endsMax: Int
  ) {
    self.init(endsMax: endsMax) { body in
      for (place, stream) in streams.enumerated() {
        for number in stream.chunks.indices {
          let first = stream.firstIndices[number]
          let floor = stream.floor(number)
          let chunk = stream.sourceNumbers[number]
          for edge in source.messages(chunk: chunk, of: stream.id, in: buffer) {
            // It stands behind all that came before it in its stream.
            let latest = edge.time.advanced(by: Int64(clamping: edge.lateness))
            body(
              End(
                flow: edge.flow,
                time: max(floor, stream.clock.ordered(latest)),
                index: first + edge.row,
                stream: UInt32(place),
                isSend: edge.isSend
              )
            )
          }
        }
      }
    }
  }
}
