// SPDX-License-Identifier: Apache-2.0

package import LifetraceTrace

/// From counter ticks to nanoseconds: one function for all processes of a session.
///
///     fit.time(of: tick)          // continuous and monotone, from the first tick to the last
///     fit.steer(to: clocks)       // a new piece, which begins now and leads back to the clock
///
/// A piece begins at a tick that was not asked about yet, with the value that the piece before has
/// there, so an answer given once stays true. A fit for each chunk would break happens-before
/// between processes by fractions of a microsecond.
///
/// An *epoch* ends where counter and clock part: the machine slept and only the counter ran on (the
/// time then stands still over the ticks of the sleep), or the clock ran on alone. A *run* of the
/// counter ends where it begins again from a smaller value, as after a sleep that has taken its
/// power, or in a machine that was restored elsewhere. The same tick can belong to two runs: the
/// order of the records decides which one it is, see ``PoolReader``.
package struct ClockFit: Sendable {
  /// A stretch of one rate.
  package typealias Piece = ClockPiece

  /// Farther from the clock than this, the fit is steered before it is time to.
  package static var errorMaxNanoseconds: Int64 { 200_000 }
  /// The most that steering may bend the rate: 500 parts in a million.
  static var bendMax: Double { 500e-6 }
  /// A clock that is slewed goes at most so much wrong: 500 parts either way, and what was bent.
  static var driftMax: Double { 2_000e-6 }
  /// The rate of a counter that has only just begun may be any other.
  static var unsettledDriftMax: Double { 0.25 }
  /// For longer than this no drift is believed to have gone on unnoticed.
  static var driftNanosecondsMax: Int64 { 20_000_000_000 }
  /// Between two readings of one moment.
  static var noiseMax: Int64 { 50_000 }
  /// Less is bent over, more is laid straight.
  static var bentMax: Int64 { 2 * errorMaxNanoseconds }
  /// The least and the greatest time over which the rate is measured.
  static var measuredMin: Int64 { 40_000_000 }
  static var measuredMax: Int64 { 10_000_000_000 }
  /// Counters of different processors differ by less.
  static var restartMin: Int64 { 1_000_000 }
  /// How many pieces are kept in memory; older ticks are read by the oldest of them.
  static var piecesMax: Int { 512 }

  /// Oldest first; never empty.
  package private(set) var pieces: [Piece]
  var current: Piece
  /// How many epochs there were.
  package private(set) var epoch: UInt32 = 0
  /// The first tick of the present run that anybody has seen.
  private(set) var restartTick: UInt64 = 0
  /// The greatest tick of this run whose time was asked for: that answer stays true.
  var seen: UInt64
  private var rate: UInt64
  /// Where the measuring of the rate begins; nil where no reading was taken yet.
  private var anchor: ClockReading?
  private var isSettled = false
  /// How far off the fit was when it was steered last: that is bent away since.
  private var bent: Int64 = 0
  /// The clock at the last steering.
  private var steered: Int64
  /// The reading that it was steered to; nil for one that an earlier recorder took.
  private var before: ClockReading?
  private let isIdentity: Bool
  private var isTrimmed = false
  private var newPieces: [Piece] = []
  /// When it begins: nothing of the session is older.
  package let start: Int64

  /// A fit whose first piece is measured between two readings some milliseconds apart.
  package init(from first: ClockReading, to second: ClockReading) {
    let ticks = Double(second.tick &- first.tick)
    let rate = ticks > 0 ? Double(second.monotonic - first.monotonic) / ticks : 1
    let piece = Piece(tick: first.tick, nanoseconds: first.monotonic, rate: Self.fixed(rate))
    self.init(piece, first, isIdentity: false)
    before = first
    anchor = first
  }

  /// Ticks are nanoseconds already.
  package init() {
    let zero = ClockReading(tick: 0, monotonic: 0, boottime: 0, real: 0)
    self.init(Piece(tick: 0, nanoseconds: 0, rate: 1 << 32), zero, isIdentity: true)
  }

  /// The fit of a session whose recorder died; nil without pieces.
  package init?(pieces: [Piece], isIdentity: Bool) {
    guard let first = pieces.first, let last = pieces.last else { return nil }
    let steered = ClockReading(
      tick: last.tick,
      monotonic: last.nanoseconds,
      boottime: 0,
      real: 0
    )
    self.init(first, steered, isIdentity: isIdentity)
    self.pieces = pieces
    current = last
    rate = pieces.last { $0.rate > 0 }?.rate ?? last.rate
    isSettled = pieces.count > 1
    // The last recorder to steer it did not say how far off it was.
    bent = Self.bentMax
  }

  /// The valid ones of pieces in the order in which they were begun: one that had not begun yet may
  /// have been given up for another.
  static func standing(_ begun: [Piece]) -> [Piece] {
    begun.reduce(into: []) { pieces, piece in
      while pieces.count > 1, let last = pieces.last, last.run == piece.run, last.tick > piece.tick
      {
        pieces.removeLast()
      }
      pieces.append(piece)
    }
  }

  private init(_ first: Piece, _ steered: ClockReading, isIdentity: Bool) {
    pieces = [first]
    current = first
    rate = first.rate
    seen = steered.tick
    self.steered = steered.monotonic
    self.isIdentity = isIdentity
    start = isIdentity ? .min : first.nanoseconds
  }

  /// How often the counter has begun anew.
  package var run: UInt32 { current.run }

  /// The time of a counter value of the present run.
  @inline(__always)
  package func time(of tick: UInt64) -> HostTime {
    if tick >= current.tick { return HostTime(rawValue: current.time(of: tick)) }
    return earlier(tick, run: current.run)
  }

  /// The same of any run.
  package func time(of tick: UInt64, run: UInt32) -> HostTime {
    run == current.run ? time(of: tick) : earlier(tick, run: run)
  }

  @inline(never)
  private func earlier(_ tick: UInt64, run: UInt32) -> HostTime {
    if let piece = pieces.last(where: { $0.run == run && $0.tick <= tick }) {
      return HostTime(rawValue: piece.time(of: tick))
    }
    guard let first = pieces.first(where: { $0.run >= run }) else {
      return HostTime(rawValue: current.nanoseconds)
    }
    // Where it begins, nothing is earlier; but ticks without a piece any more are read by the
    // oldest.
    let isCut = isTrimmed && first == pieces[0] && first.run == run
    return HostTime(rawValue: isCut ? first.time(of: tick) : first.nanoseconds)
  }

  /// Whether a tick and the clock, read together, fit each other.
  func agrees(_ tick: UInt64, _ monotonic: Int64) -> Bool {
    !isRestart(tick) && abs(monotonic - current.time(of: tick)) <= Self.errorMaxNanoseconds
  }

  /// Whether steering to the reading does more than to bend.
  func isFar(from reading: ClockReading) -> Bool {
    isRestart(reading.tick)
      || abs(reading.monotonic - current.time(of: reading.tick)) > Self.bentMax
  }

  private func isRestart(_ tick: UInt64) -> Bool {
    tick < seen && nanoseconds(seen - tick) > Self.restartMin
  }

  private func nanoseconds(_ ticks: UInt64) -> Int64 {
    Int64(min(Double(ticks) * Self.real(rate), Self.farMax))
  }
  private func ticks(_ nanoseconds: Int64) -> UInt64 {
    UInt64(min(max(0, Double(nanoseconds) / Self.real(max(rate, 1))), Self.farMax))
  }
  /// The words of a clock file that was overwritten lead no farther.
  private static let farMax = 1e18
  private static func fixed(_ rate: Double) -> UInt64 {
    UInt64(min(max(rate, 1e-6), 1e6) * 4_294_967_296)
  }
  private static func real(_ rate: UInt64) -> Double { Double(rate) / 4_294_967_296 }
}

// Steering.
extension ClockFit {
  /// Begins a piece at `reading` that meets the clock `horizon` later; true when it is a new epoch.
  package mutating func steer(to reading: ClockReading, horizon: Int64) -> Bool {
    guard !isIdentity else { return false }
    let hasSlept = before.map { reading.asleep - $0.asleep > ClockReading.stepMin } ?? false
    let isRestart = isRestart(reading.tick)
    let error = reading.monotonic - current.time(of: reading.tick)
    let hasParted = abs(error) > (hasSlept ? Self.bentMax : allowed(reading))
    let isEpoch = hasSlept || isRestart || hasParted
    if isRestart {
      restart(at: reading)
    } else if hasParted {
      part(at: reading, error)
    } else if reading.tick > current.tick {
      follow(reading, error, horizon)
    }
    if isEpoch {
      epoch += 1
      isSettled = false
      anchor = reading
    }
    bent = min(abs(reading.monotonic - time(of: reading.tick).rawValue), Self.bentMax)
    steered = reading.monotonic
    before = reading
    seen = isRestart ? reading.tick : max(seen, reading.tick)
    return isEpoch
  }

  /// So far the clock may have gone from the fit since it was steered.
  private func allowed(_ reading: ClockReading) -> Int64 {
    let elapsed = min(max(0, reading.monotonic - steered), Self.driftNanosecondsMax)
    let drift = Double(elapsed) * (isSettled ? Self.driftMax : Self.unsettledDriftMax)
    return Self.noiseMax + bent + nanoseconds(reading.width) + Int64(drift)
  }

  /// Counter and clock go together.
  private mutating func follow(_ reading: ClockReading, _ error: Int64, _ horizon: Int64) {
    // When it is this far off, the rate itself was wrong: earlier rates count no more.
    if abs(error) > Self.errorMaxNanoseconds { anchor = before }
    measure(reading)
    let (last, held) = lastAnswer
    guard abs(error) > Self.bentMax else {
      let bend = min(max(Double(error) / Double(horizon), -Self.bendMax), Self.bendMax)
      let here = current.time(of: reading.tick)
      return begin(reading.tick, here, Self.fixed(Self.real(rate) * (1 + bend)))
    }
    // It was not looked at for a while: the time between is laid straight.
    guard reading.monotonic > held, reading.tick > last else { return stand(till: reading) }
    let slope = Double(reading.monotonic - held) / Double(reading.tick - last)
    begin(last, held, Self.fixed(slope))
    begin(reading.tick, reading.monotonic, rate)
  }

  private mutating func measure(_ reading: ClockReading) {
    guard let anchor else { return self.anchor = reading }
    let span = reading.monotonic - anchor.monotonic
    guard span >= Self.measuredMin, reading.tick > anchor.tick else { return }
    rate = Self.fixed(Double(span) / Double(reading.tick - anchor.tick))
    isSettled = true
    if span >= Self.measuredMax { self.anchor = reading }
  }

  /// The last tick whose time was given out, and that time.
  private var lastAnswer: (tick: UInt64, time: Int64) { (seen, time(of: seen).rawValue) }

  /// One of them has run on alone since the last answer.
  private mutating func part(at reading: ClockReading, _ error: Int64) {
    guard error > 0 else { return stand(till: reading) }
    let (tick, run) = (min(seen + 1, reading.tick), run)
    forget(from: tick)
    begin(tick, reading.monotonic - nanoseconds(reading.tick - tick), rate, run: run)
  }

  /// The counter alone ran on: time stands still from the last answer until the clock is there.
  ///
  /// When it ran alone is not known more exactly than that.
  private mutating func stand(till reading: ClockReading) {
    let ((tick, held), run) = (lastAnswer, run)
    forget(from: tick)
    begin(tick, held, 0, run: run)
    let ahead = held - reading.monotonic
    let again =
      ahead > 0 ? reading.tick &+ ticks(ahead) : reading.tick - min(ticks(-ahead), reading.tick)
    begin(max(again, tick), held, rate)
  }

  /// The counter began anew since the last answer: its run leads back to there.
  private mutating func restart(at reading: ClockReading) {
    let (_, held) = lastAnswer
    let since = reading.monotonic - held
    restartTick = reading.tick
    let next = run + 1
    if since >= 0 {
      let tick = reading.tick - min(ticks(since), reading.tick)
      begin(tick, reading.monotonic - nanoseconds(reading.tick - tick), rate, run: next)
    } else {
      begin(reading.tick &+ ticks(-since), held, rate, run: next)
    }
  }

  private mutating func begin(_ tick: UInt64, _ time: Int64, _ rate: UInt64, run: UInt32? = nil) {
    if pieces.count >= Self.piecesMax {
      pieces.removeFirst(Self.piecesMax / 2)
      isTrimmed = true
    }
    current = Piece(tick: tick, nanoseconds: time, rate: rate, run: run ?? current.run)
    pieces.append(current)
    newPieces.append(current)
  }

  /// The pieces by which the times of a span were made, as far as they are kept.
  func pieces(from first: HostTime, to last: HostTime) -> ArraySlice<Piece> {
    guard !isIdentity else { return [] }
    let begin = pieces.lastIndex { $0.nanoseconds <= first.rawValue } ?? 0
    let end = pieces[begin...].lastIndex { $0.nanoseconds <= last.rawValue } ?? begin
    return pieces[begin...end]
  }

  /// The pieces that were begun since the last call.
  mutating func takeNewPieces() -> [Piece] {
    defer { newPieces = [] }
    return newPieces
  }

  /// Pieces that begin at a tick that was not asked about; they may be all of the run.
  private mutating func forget(from tick: UInt64) {
    while pieces.count > 1, let last = pieces.last, last.run == run, last.tick > tick {
      pieces.removeLast()
    }
    current = pieces[pieces.count - 1]
  }
}
