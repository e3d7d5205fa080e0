// SPDX-License-Identifier: Apache-2.0

package import LifetraceTrace

/// From counter ticks to nanoseconds: one function for all processes of a session.
///
///     fit.time(of: tick)          // continuous and monotone, from the first tick to the last
///     fit.steer(to: clocks)       // a new piece, which begins now and leads back to the clock
///
/// A piece begins at a tick that nobody has asked about yet, with the value that
/// the piece before has there, so an answer given once stays true. A fit for
/// each chunk would break happens-before between processes by fractions of a
/// microsecond.
package struct ClockFit: Sendable {
  /// From `tick` on, `nanoseconds + (t - tick) * rate / 2^32`.
  package struct Piece: Equatable, Sendable {
    package var tick: UInt64
    package var nanoseconds: Int64
    package var rate: UInt64

    @inline(__always)
    func time(of other: UInt64) -> Int64 {
      if other >= tick {
        let (high, low) = (other &- tick).multipliedFullWidth(by: rate)
        return nanoseconds &+ Int64(truncatingIfNeeded: (high << 32) | (low >> 32))
      }
      let (high, low) = (tick &- other).multipliedFullWidth(by: rate)
      return nanoseconds &- Int64(truncatingIfNeeded: (high << 32) | (low >> 32))
    }
  }

  /// Beyond this distance from the clock a new epoch begins: the machine slept, or the counter lied.
  package static var errorMaxNanoseconds: Int64 { 200_000 }
  /// The most that steering may bend the rate: 500 parts in a million.
  static var bendMax: Double { 500e-6 }
  /// Pieces kept in memory; what is older is read by the oldest of them.
  static var piecesMax: Int { 512 }

  /// Oldest first; never empty.
  package private(set) var pieces: [Piece]
  private var current: Piece
  /// How many epochs there were.
  package private(set) var epoch: UInt32 = 0
  private var anchor: ClockReading
  private let isIdentity: Bool

  /// A fit whose first piece is measured between two readings some milliseconds apart.
  package init(from first: ClockReading, to second: ClockReading) {
    let ticks = Double(second.tick &- first.tick)
    let rate = ticks > 0 ? Double(second.monotonic - first.monotonic) / ticks : 1
    let piece = Piece(tick: first.tick, nanoseconds: first.monotonic, rate: Self.fixed(rate))
    pieces = [piece]
    current = piece
    anchor = first
    isIdentity = false
    start = first.monotonic
  }

  /// Ticks are nanoseconds already.
  package init() {
    let piece = Piece(tick: 0, nanoseconds: 0, rate: 1 << 32)
    pieces = [piece]
    current = piece
    anchor = ClockReading(tick: 0, monotonic: 0, boottime: 0, real: 0)
    isIdentity = true
    start = .min
  }

  /// The fit of a session whose recorder died; nil without pieces.
  package init?(pieces: [Piece], isIdentity: Bool) {
    guard let first = pieces.first, let last = pieces.last else { return nil }
    self.pieces = pieces
    current = last
    anchor = ClockReading(tick: first.tick, monotonic: first.nanoseconds, boottime: 0, real: 0)
    self.isIdentity = isIdentity
    start = isIdentity ? .min : first.nanoseconds
  }

  /// When it begins: nothing of the session is older.
  package let start: Int64

  /// The time of a counter value.
  @inline(__always)
  package func time(of tick: UInt64) -> HostTime {
    if tick >= current.tick { return HostTime(rawValue: current.time(of: tick)) }
    return earlier(tick)
  }

  @inline(never)
  private func earlier(_ tick: UInt64) -> HostTime {
    let piece = pieces.last { $0.tick <= tick } ?? pieces[0]
    return HostTime(rawValue: piece.time(of: tick))
  }

  /// Begins a piece at `reading` that meets the clock `horizon` later; true when it is a new epoch.
  package mutating func steer(to reading: ClockReading, horizon: Int64) -> Bool {
    guard !isIdentity, reading.tick > current.tick else { return false }
    let here = current.time(of: reading.tick)
    let error = reading.monotonic - here
    if abs(error) > Self.errorMaxNanoseconds {
      epoch += 1
      // Time never runs backward: after a jump back the fit waits for the clock.
      begin(
        Piece(tick: reading.tick, nanoseconds: max(here, reading.monotonic), rate: current.rate)
      )
      anchor = reading
      return true
    }
    let ticks = Double(reading.tick &- anchor.tick)
    let measured =
      ticks > 0 ? Double(reading.monotonic - anchor.monotonic) / ticks : Self.real(current.rate)
    let bend = min(max(Double(error) / Double(horizon), -Self.bendMax), Self.bendMax)
    begin(
      Piece(tick: reading.tick, nanoseconds: here, rate: Self.fixed(measured * (1 + bend)))
    )
    return false
  }

  private mutating func begin(_ piece: Piece) {
    if pieces.count >= Self.piecesMax { pieces.removeFirst(Self.piecesMax / 2) }
    pieces.append(piece)
    current = piece
  }

  private static func fixed(_ rate: Double) -> UInt64 {
    UInt64(min(max(rate, 1e-6), 1e6) * 4_294_967_296)
  }
  private static func real(_ rate: UInt64) -> Double { Double(rate) / 4_294_967_296 }
}

/// The clocks of the host, read together.
package struct ClockReading: Equatable, Sendable {
  package var tick: UInt64
  package var monotonic: Int64
  package var boottime: Int64
  package var real: Int64

  package init(tick: UInt64, monotonic: Int64, boottime: Int64, real: Int64) {
    self.tick = tick
    self.monotonic = monotonic
    self.boottime = boottime
    self.real = real
  }

  /// As a chunk keeps it.
  package var bracket: ClockBracket {
    ClockBracket(tick: tick, monotonic: monotonic, boottime: boottime, real: real)
  }
}
