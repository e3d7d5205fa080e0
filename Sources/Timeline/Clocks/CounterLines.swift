// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace

/// The times of streams as the counters of their machines have them.
///
/// A writer's times follow a clock that is bent to agree with others, by hundreds of parts in a million;
/// the counter behind it is not, and two recorders of one machine share it. So clocks are compared by
/// their counters, at the rate that they mostly had, wherever chunks say how one became the other.
struct CounterLines {
  /// By stream: from its times to those of the counter, in nanoseconds; nil where they are the same.
  private(set) var ofStream: [AxisMap?]

  /// The chunks of one stream, as far as their headers say how times were made.
  private struct Fit {
    var pieces: [ClockPiece] = []
    var last = Int64.min
    var isWhole = true
  }

  /// Of the streams of `source`, whose clocks are these; reads the header of each chunk where there are
  /// several clocks, or several recordings by one.
  init(_ source: any EventSource, clockOfStream: [Int]) {
    ofStream = Array(repeating: nil, count: clockOfStream.count)
    let streams = source.streams
    let clocks = Set(clockOfStream)
    for clock in clocks {
      let own = clockOfStream.indices.filter { clockOfStream[$0] == clock }
      guard clocks.count > 1 || Set(own.map { streams[$0].attributes.origin.session }).count > 1,
        own.allSatisfy({ streams[$0].attributes.clock == .monotonic })
      else { continue }
      var fits: [WideID?: Fit] = [:]
      for stream in own {
        let session = streams[stream].attributes.origin.session
        Self.read(source, stream, into: &fits[session, default: Fit()])
      }
      let all = fits.values.filter { $0.last > .min }
      // A counter that began anew is another one, and times of which nothing is said are not compared.
      guard all.allSatisfy({ $0.isWhole && $0.pieces.allSatisfy { $0.run == 0 } }),
        let base = Self.base(all.flatMap(\.pieces))
      else { continue }
      for stream in own {
        let fit = fits[streams[stream].attributes.origin.session]
        ofStream[stream] = fit.flatMap { Self.line($0, base) }
      }
    }
  }

  /// A time of a stream by the counter.
  func counted(_ time: HostTime, of stream: Int) -> Int64 {
    ofStream[stream]?.axis(time.rawValue) ?? time.rawValue
  }

  private static func read(_ source: any EventSource, _ stream: Int, into fit: inout Fit) {
    let id = StreamID(rawValue: UInt32(stream))
    for (number, chunk) in source.streams[stream].chunks.enumerated() where chunk.eventCount > 0 {
      let pieces = source.header(chunk: number, of: id)?.fit ?? []
      if pieces.isEmpty { fit.isWhole = false }
      fit.pieces += pieces
      fit.last = max(fit.last, chunk.lastTime.rawValue)
    }
  }

  /// Where counting begins, and the rate that most pieces have about.
  private static func base(_ pieces: [ClockPiece]) -> ClockPiece? {
    let rates = pieces.map(\.rate).filter { $0 > 0 }.sorted()
    guard let first = pieces.min(by: { $0.tick < $1.tick }), !rates.isEmpty else { return nil }
    return ClockPiece(
      tick: first.tick,
      nanoseconds: first.nanoseconds,
      rate: rates[rates.count / 2]
    )
  }

  private static func line(_ fit: Fit, _ base: ClockPiece) -> AxisMap? {
    let pieces = ClockPiece.joined(fit.pieces)
    var knots: [AxisMap.Knot] = []
    func add(_ raw: Int64, _ tick: UInt64) {
      let axis = base.time(of: tick)
      // The clock stood and the counter ran on: a nanosecond takes all of it.
      let stands = knots.last.map { raw <= $0.raw && axis > $0.axis } ?? false
      knots.append(.init(raw: stands ? (knots.last?.raw ?? raw) &+ 1 : raw, axis: axis))
    }
    for piece in pieces { add(piece.nanoseconds, piece.tick) }
    if let piece = pieces.last, piece.rate > 0, fit.last > piece.nanoseconds {
      let length = UInt64(bitPattern: fit.last &- piece.nanoseconds)
      let (high, low) = (length >> 32, length << 32)
      guard high < piece.rate else { return AxisMap(knots) }
      add(fit.last, piece.tick &+ piece.rate.dividingFullWidth((high, low)).quotient)
    }
    return AxisMap(knots)
  }
}
