// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Each receive of a recording with the send that it cannot be before.
///
///     var messages = MessageShares(of: streams, in: source, buffer, endsMax: 1 << 20)
///     messages.eachPair { send, receive in … }
///
/// However many there are, at most `endsMax` sends and receives are in memory: a share of the flows at a
/// time, whose ends are found in the tables of chunk headers when its turn comes. Where there are no
/// more than that, they are found once and kept.
struct MessageShares {
  /// A send or a receive, with the order time that its stream alone gives it.
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

  private static let bucketBits = 12

  private let streams: [StreamIndex]
  private let source: any EventSource
  private let buffer: StrideBuffer
  private let endsMax: Int
  /// Those that are looked at; nil for all.
  private let flows: Set<UInt64>?
  /// All ends in order, where they are few.
  private var all: [End]?
  /// Else which flows belong together, by their buckets.
  private var shares: [Range<Int>] = []

  /// The messages of `streams`, whose order decides between sends of one time; reads their tables.
  ///
  /// Of `flows` alone, where there are some. `endsMax` is exceeded where more of one flow, or of flows that
  /// share a bucket, come together.
  init(
    of streams: [StreamIndex],
    in source: any EventSource,
    _ buffer: StrideBuffer,
    endsMax: Int,
    flows: Set<UInt64>? = nil
  ) {
    self.streams = streams
    self.source = source
    self.buffer = buffer
    self.endsMax = endsMax
    self.flows = flows
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
    if let all { return Self.pair(all, body) }
    for share in shares {
      var ends: [End] = []
      eachEnd { if share.contains(Self.bucket($0.flow)) { ends.append($0) } }
      ends.sort()
      Self.pair(ends, body)
    }
  }

  /// By Fibonacci hashing, as flows are often counted; less than two to the power of `bits`, at least 1.
  @inline(__always)
  static func hash(_ flow: UInt64, bits: Int) -> Int {
    Int(truncatingIfNeeded: (flow &* 0x9e37_79b9_7f4a_7c15) &>> UInt64(64 - bits))
  }

  private static func bucket(_ flow: UInt64) -> Int { hash(flow, bits: bucketBits) }

  private static func pair(_ ends: [End], _ body: (_ send: End, _ receive: End) -> Void) {
    var start = 0
    while start < ends.count {
      var (receive, end) = (start, start)
      while end < ends.count, ends[end].flow == ends[start].flow {
        if ends[end].isSend { receive = end + 1 }
        end += 1
      }
      let first = ends[start]
      let another = ends[start..<receive].first { $0.stream != first.stream }
      for receive in ends[receive..<end] where first.isSend {
        let send = receive.stream != first.stream ? first : another
        if let send { body(send, receive) }
      }
      start = end
    }
  }

  private func eachEnd(_ body: (End) -> Void) {
    for (place, stream) in streams.enumerated() {
      for number in stream.chunks.indices {
        let rule = Rule(of: stream, chunk: number)
        let firstIndex = stream.firstIndices[number]
        let chunk = stream.sourceNumbers[number]
        for edge in source.messages(chunk: chunk, of: stream.id, in: buffer)
        where flows?.contains(edge.flow) ?? true {
          body(
            End(
              flow: edge.flow,
              time: rule.time(of: edge),
              index: firstIndex + edge.row,
              stream: UInt32(place),
              isSend: edge.isSend
            )
          )
        }
      }
    }
  }
}

extension MessageShares {
  /// How the order times of the ends of one chunk are made of what its table says.
  struct Rule {
    private let clock: StreamClock
    private let floor: Int64

    /// Of a chunk of `stream`.
    init(of stream: StreamIndex, chunk: Int) {
      clock = stream.clock
      floor = stream.floor(chunk)
    }

    /// The order time that its stream alone gives an end.
    @inline(__always)
    func time(of edge: MessageEdge) -> Int64 {
      // It stands behind all that came before it in its stream.
      max(floor, clock.ordered(edge.time.advanced(by: Int64(clamping: edge.lateness))))
    }
  }
}

extension KindSet {
  /// Whether some event may be a send or a receive.
  var hasMessages: Bool { contains(.messageSend) || contains(.messageReceive) }
}
