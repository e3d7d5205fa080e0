// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CLifetracePlatform
import LifetraceTrace

/// The counter of this machine and the fit that turns it into time.
///
/// Steered often at first and then each ten seconds, and at once where the time is asked for and
/// counter and clock have parted: an answer is never ahead by the sleep of a machine. Each piece is
/// written to the session's `clock` file, so that a recorder that adopts the session reads ticks
/// the same way.
struct HostClock: Sendable {
  /// The outcome of steering since the last question.
  struct Steering: Sendable {
    /// New pieces of the fit, the oldest first.
    var pieces: [ClockFit.Piece] = []
    /// The machine slept, the clock of the day was set, or counter and clock have parted.
    var isEpoch = false
    /// The counter has begun anew.
    var isRestart = false
  }

  private(set) var fit: ClockFit
  private(set) var last: ClockReading
  /// Nanoseconds to add to a time to get the time since 1970.
  private(set) var realOffset: Int64
  let usesCounter: Bool
  private var steerAt: Int64
  private var interval: Int64
  private var untold: Steering?

  private static var firstInterval: Int64 { 50_000_000 }
  private static var lastInterval: Int64 { 10_000_000_000 }
  /// A rate that is only to be bent is not bent more often.
  private static var bentInterval: Int64 { 100_000_000 }
  /// Over so short a time a drift is bent away that was noticed early.
  private static var earlyHorizon: Int64 { 1_000_000_000 }

  init() {
    let usesCounter = cplatform_counter_is_stable() == 1
    let first = ClockReading(usingCounter: usesCounter)
    var second = first
    if usesCounter {
      // Five milliseconds give the rate to about ten parts in a million; steering does the rest.
      while second.monotonic - first.monotonic < 5_000_000 {
        second = ClockReading(usingCounter: true)
      }
      self.init(ClockFit(from: first, to: second), usesCounter: true, second)
    } else {
      self.init(ClockFit(), usesCounter: false, second)
    }
    steerAt += interval
  }

  /// The clock of a session that is adopted.
  init(adopting fit: ClockFit, usesCounter: Bool) {
    self.init(fit, usesCounter: usesCounter, ClockReading(usingCounter: usesCounter))
  }

  init(_ fit: ClockFit, usesCounter: Bool, _ reading: ClockReading) {
    self.fit = fit
    self.usesCounter = usesCounter
    last = reading
    realOffset = reading.real - reading.monotonic
    interval = Self.firstInterval
    steerAt = reading.monotonic
  }

  var kind: UInt32 {
    usesCounter ? LT_CLOCK_COUNTER.rawValue : LT_CLOCK_MONOTONIC.rawValue
  }

  /// The tick that the counter has now.
  var tick: UInt64 { usesCounter ? cplatform_counter() : UInt64(cplatform_monotonic()) }

  /// The time of the counter's present tick.
  mutating func now() -> HostTime {
    let usesCounter = usesCounter
    guard usesCounter else { return HostTime(rawValue: cplatform_monotonic()) }
    return time(
      at: { (cplatform_counter(), cplatform_monotonic()) },
      reading: { ClockReading(usingCounter: usesCounter) }
    )
  }

  /// The time at a tick; `glance` reads counter and clock at once, `reading` does so exactly.
  mutating func time(
    at glance: () -> (tick: UInt64, monotonic: Int64),
    reading: () -> ClockReading
  ) -> HostTime {
    var (tick, monotonic) = glance()
    if !fit.agrees(tick, monotonic) {
      // A thread kept from the processor in between reads wrong once, and not in a full reading.
      let exact = reading()
      let isDue = exact.monotonic - last.monotonic >= Self.bentInterval
      if fit.isFar(from: exact) || isDue && !fit.agrees(exact.tick, exact.monotonic) {
        steer(to: exact, horizon: Self.earlyHorizon)
      }
      (tick, monotonic) = (exact.tick, exact.monotonic)
    }
    fit.seen = max(fit.seen, tick)
    return fit.time(of: tick)
  }

  /// Steers when it is time to.
  mutating func steerWhenDue(at time: HostTime) {
    guard time.rawValue >= steerAt else { return }
    steer(to: ClockReading(usingCounter: usesCounter))
  }

  /// Bends the fit towards a reading of the clocks, or begins an epoch where they have parted.
  @discardableResult
  mutating func steer(to reading: ClockReading, horizon: Int64? = nil) -> Steering {
    let hasSlept = reading.asleep - last.asleep > ClockReading.stepMin
    let offset = reading.real - reading.monotonic
    let wasSet = abs(offset - (last.real - last.monotonic)) > ClockReading.stepMin
    let run = fit.run
    interval = min(interval * 2, Self.lastInterval)
    let hasParted = fit.steer(to: reading, horizon: horizon ?? interval)
    if hasParted { interval = Self.firstInterval }
    steerAt = reading.monotonic + interval
    last = reading
    let time = usesCounter ? fit.time(of: reading.tick).rawValue : reading.monotonic
    realOffset = reading.real - time
    let steering = Steering(
      pieces: fit.takeNewPieces(),
      isEpoch: hasSlept || wasSet || hasParted,
      isRestart: fit.run != run
    )
    untold = Steering(
      pieces: (untold?.pieces ?? []) + steering.pieces,
      isEpoch: steering.isEpoch || untold?.isEpoch == true,
      isRestart: steering.isRestart || untold?.isRestart == true
    )
    return steering
  }

  /// What came of steering since the last call; nil where there was none.
  mutating func takeSteering() -> Steering? {
    defer { untold = nil }
    return untold
  }
}
