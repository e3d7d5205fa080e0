// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CLifetraceSystem
import LifetraceTrace

/// The counter of this machine and the fit that turns it into time.
///
/// Steered often at first and then each ten seconds; each piece is written to
/// the session's `clock` file, so that who adopts the session reads ticks the
/// same way.
struct HostClock: Sendable {
  private(set) var fit: ClockFit
  private(set) var last: ClockReading
  let usesCounter: Bool
  private var steerAt: Int64
  private var interval: Int64

  private static var firstInterval: Int64 { 50_000_000 }
  private static var lastInterval: Int64 { 10_000_000_000 }

  init() {
    usesCounter = csystem_counter_is_stable() == 1
    let first = Self.read(usesCounter)
    var second = first
    if usesCounter {
      // Five milliseconds tell the rate to about ten parts in a million; steering does the rest.
      while second.monotonic - first.monotonic < 5_000_000 { second = Self.read(usesCounter) }
      fit = ClockFit(from: first, to: second)
    } else {
      fit = ClockFit()
    }
    last = second
    interval = Self.firstInterval
    steerAt = second.monotonic + interval
  }

  /// The clock of a session that is adopted.
  init(adopting fit: ClockFit, usesCounter: Bool) {
    self.fit = fit
    self.usesCounter = usesCounter
    last = Self.read(usesCounter)
    interval = Self.firstInterval
    steerAt = last.monotonic
  }

  static func read(_ usesCounter: Bool) -> ClockReading {
    let clocks = csystem_read_clocks()
    return ClockReading(
      tick: usesCounter ? clocks.tick : UInt64(clocks.monotonic),
      monotonic: clocks.monotonic,
      boottime: clocks.boottime,
      real: clocks.real
    )
  }

  var kind: UInt32 {
    usesCounter ? LT_CLOCK_COUNTER.rawValue : LT_CLOCK_MONOTONIC.rawValue
  }

  /// The counter now.
  var tick: UInt64 { usesCounter ? csystem_counter() : UInt64(csystem_monotonic()) }

  /// Nanoseconds to add to a time to get the time since 1970.
  var realOffset: Int64 { last.real - last.monotonic }

  /// Steers when it is time to; see ``steer(to:)``.
  mutating func steer(at tick: UInt64) -> (piece: ClockFit.Piece?, isEpoch: Bool)? {
    guard fit.time(of: tick).rawValue >= steerAt else { return nil }
    return steer(to: Self.read(usesCounter))
  }

  /// Bends the fit towards a reading of the clocks.
  ///
  /// The new piece where there is a fit to bend, and whether an epoch begins: the machine slept,
  /// somebody set the clock of the day, or the counter left its bound.
  mutating func steer(to reading: ClockReading) -> (piece: ClockFit.Piece?, isEpoch: Bool) {
    let asleep = (reading.boottime - reading.monotonic) - (last.boottime - last.monotonic)
    let set = (reading.real - reading.monotonic) - (last.real - last.monotonic)
    last = reading
    interval = min(interval * 2, Self.lastInterval)
    steerAt = reading.monotonic + interval
    let isEpoch = asleep > Self.stepMin || abs(set) > Self.stepMin
    guard usesCounter else { return (nil, isEpoch) }
    let isJump = fit.steer(to: reading, horizon: interval)
    return (fit.pieces.last, isJump || isEpoch)
  }

  /// Less is the time that reading three clocks takes.
  private static var stepMin: Int64 { 1_000_000 }
}
