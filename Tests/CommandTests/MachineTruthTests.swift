// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// Recorders of one machine, as on two: what is proved of their clocks, against what is true.
///
/// Both stamp by the same counter, and each says how it made times of it. So of each event it is known
/// when it was by the other's clock.
@Suite(.waits) struct MachineTruthTests {
  @Test("In a time namespace the truth is within the bounds at each event")
  func timeNamespace() throws {
    let folder = try TestFolder()
    let talked = talk(folder, there: "unshare $root -T --monotonic 1000", trips: 300, pause: 5_000)
    #expect(talked.status == 0, "\(talked.output)")
    try expectTruth(folder, events: 1_200)
  }

  @Test("The recorder there stands still for three seconds, and the truth is within the bounds")
  func stopped() throws {
    let folder = try TestFolder()
    let talked = talk(
      folder,
      there: "unshare $root -u -T --monotonic 50",
      trips: 500,
      pause: 10_000,
      meanwhile: "until_there there.pid; sleep 1; kill -STOP $(cat there.pid); sleep 3; "
        + "kill -CONT $(cat there.pid)"
    )
    #expect(talked.status == 0, "\(talked.output)")
    try expectTruth(folder, events: 2_000)
  }

  /// By how many nanoseconds a time of one fit may be off when it is led over to another one.
  private static let rounding: Int64 = 64
  /// By how much a fit goes another way before its first recorded piece: it is bent by 500 parts in a
  /// million either way.
  private static let bend = 1_000e-6

  /// Of each send and receive of one clock the bounds on the other one hold when it truly was.
  private func expectTruth(_ folder: TestFolder, events: Int) throws {
    let source = FileSource(try TraceReader(path: folder.file("both.lifetrace")))
    let clocks = RecordingClocks(source)
    try #require(clocks.clocks.count == 2)
    #expect(clocks.graph.contradictions.isEmpty)
    var fits: [[ClockPiece]] = [[], []]
    for (stream, facts) in source.streams.enumerated() {
      for chunk in facts.chunks.indices {
        let header = source.header(chunk: chunk, of: StreamID(rawValue: UInt32(stream)))
        fits[clocks.clockOfStream[stream]] += header?.fit ?? []
      }
    }
    fits = fits.map(ClockPiece.joined)
    var (asked, widths) = (0, [Int64]())
    for (stream, facts) in source.streams.enumerated() {
      let id = StreamID(rawValue: UInt32(stream))
      let clock = clocks.clockOfStream[stream]
      let other = clocks.clocks[1 - clock].streams[0]
      for chunk in facts.chunks.indices {
        for message in source.messages(chunk: chunk, of: id) ?? [] {
          let tick = try #require(Self.tick(message.time, fits[clock]))
          let (truth, error) = try #require(Self.time(of: tick, fits[1 - clock]))
          let bounds = clocks.interval(message.time, of: id, on: other)
          let low = try #require(bounds.low), high = try #require(bounds.high)
          #expect(
            low - error <= truth && truth <= high + error,
            "\(message.time.rawValue) of \(stream): \(truth) is not in \(low)...\(high)"
          )
          widths.append(high - low)
          asked += 1
        }
      }
    }
    #expect(asked == events)
    widths.sort()
    print("width p50 \(widths[asked / 2]) ns, p99 \(widths[asked * 99 / 100]) ns")
  }

  /// The time of a tick, and by how much it may be off.
  ///
  /// A chunk has the pieces from its first event on, and a program joins with its first event: one that is
  /// spoken to first has none of the moment at which the other spoke, if a piece began in between.
  private static func time(of tick: UInt64, _ fit: [ClockPiece]) -> (time: Int64, error: Int64)? {
    if let piece = fit.last(where: { $0.tick <= tick }) { return (piece.time(of: tick), rounding) }
    guard let first = fit.first else { return nil }
    let time = first.time(of: tick)
    return (time, rounding + Int64(bend * Double(first.nanoseconds - time)))
  }

  /// When the counter made a time of a fit.
  private static func tick(_ time: HostTime, _ fit: [ClockPiece]) -> UInt64? {
    guard let piece = fit.last(where: { $0.nanoseconds <= time.rawValue }), piece.rate > 0 else {
      return nil
    }
    let length = UInt64(time.rawValue - piece.nanoseconds)
    return piece.tick + piece.rate.dividingFullWidth((length >> 32, length << 32)).quotient
  }
}
