// SPDX-License-Identifier: Apache-2.0

/// By how much receives, and all behind them in their streams, are later than their times say, so that
/// none stands before its send.
///
/// A receiver's order time rises to the send's, and with it everything behind it in its stream; that may
/// lift further receives, so it goes on until nothing moves. Order times only rise to times that occur,
/// so it ends, and the least such times are the same in whatever order messages are looked at.
struct MessageLifts {
  /// After this many rounds of moving receives behind their sends, the rest keep their times.
  static let roundsMax = 100

  typealias End = MessageShares.End
  typealias Pair = (send: End, receive: End)

  /// By stream: in order of their indices, and of their times.
  private(set) var lifts: [[Lift]]
  /// The messages that are received at the time at which they were sent.
  private(set) var equal: [Pair] = []
  /// Whether nothing would move any more.
  private(set) var isSettled = false
  /// Flows that nothing is ordered by: by the one clock of both, they were received before they were sent.
  private(set) var refused: Set<UInt64> = []

  /// Two recorders of one machine may stamp one moment so many nanoseconds apart.
  private static let clockSlack: Int64 = 400_000

  /// Those of `messages` between streams with these clocks; nil where that is not known.
  ///
  /// Mostly no time contradicts its message, and one look at each of them is all. Else only those that do,
  /// lifts counted, are taken to be resolved, and all are looked at again, as a lift may have lifted sends;
  /// where all are in memory anyway, they are resolved together.
  init(_ messages: MessageShares, clocks: [Int?]) {
    lifts = Array(repeating: [], count: clocks.count)
    for round in 0..<Self.roundsMax {
      var pairs: [Pair] = []
      var isMoving = false
      let takesAll = round > 0 && messages.isWhole
      messages.eachPair { send, receive in
        if receive.time < send.time, let clock = clocks[Int(send.stream)],
          clock == clocks[Int(receive.stream)],
          send.time.subtractingSaturated(Self.clockSlack) > receive.time
        {
          refused.insert(send.flow)
          return
        }
        let (sent, received) = (time(of: send), time(of: receive))
        if received < sent { isMoving = true }
        if takesAll || received <= sent || receive.time <= send.time {
          pairs.append((send, receive))
        }
      }
      if isMoving, round + 1 < Self.roundsMax, resolve(&pairs) { continue }
      isSettled = !isMoving
      equal = pairs.filter { time(of: $0.send) == time(of: $0.receive) }
      return
    }
  }

  /// The order time of a send or a receive, lifts counted.
  func time(of end: End) -> Int64 {
    let own = lifts[Int(end.stream)]
    guard !own.isEmpty else { return end.time }
    let place = own.partitioningIndex { $0.index > end.index }
    return place > 0 ? max(end.time, own[place - 1].time) : end.time
  }

  /// Ends of one stream, in order.
  private struct Line {
    var indices: [Int] = []
    var own: [Int64] = []
    var times = RisingTimes([])

    init(_ ends: [(index: Int, time: Int64)]) {
      for end in ends.sorted(by: { $0.index < $1.index }) where indices.last != end.index {
        indices.append(end.index)
        own.append(end.time)
      }
      times = RisingTimes(own)
    }

    func place(of end: End) -> Int { indices.partitioningIndex { $0 >= end.index } }

    var lifts: [Lift] {
      var lifts: [Lift] = []
      for place in own.indices {
        let time = times[place]
        if time > own[place], time > lifts.last?.time ?? .min {
          lifts.append(Lift(index: indices[place], time: time))
        }
      }
      return lifts
    }
  }

  /// Lifts the receives of `pairs`, and of nothing else; whether that came to an end.
  private mutating func resolve(_ pairs: inout [Pair]) -> Bool {
    // In the order of the sends one pass is enough, unless a lifted receive is followed by a send.
    pairs.sort { one, other in
      one.send.time != other.send.time
        ? one.send.time < other.send.time
        : (one.receive.stream, one.receive.index) < (other.receive.stream, other.receive.index)
    }
    var ends: [[(index: Int, time: Int64)]] = Array(repeating: [], count: lifts.count)
    for (send, receive) in pairs {
      ends[Int(send.stream)].append((send.index, send.time))
      ends[Int(receive.stream)].append((receive.index, receive.time))
    }
    var lines = ends.map(Line.init)
    var (isMoving, passes) = (true, 0)
    while isMoving, passes < Self.roundsMax {
      isMoving = false
      passes += 1
      for (send, receive) in pairs {
        let (sender, stream) = (Int(send.stream), Int(receive.stream))
        let time = lines[sender].times[lines[sender].place(of: send)]
        let place = lines[stream].place(of: receive)
        guard lines[stream].times[place] < time else { continue }
        isMoving = true
        lines[stream].times.lift(from: place, to: time)
      }
    }
    lifts = lines.map(\.lifts)
    return !isMoving
  }
}
