// SPDX-License-Identifier: Apache-2.0
import Support
import LifetraceTrace

@testable import LifetraceRecorder

/// A machine whose clocks do in seconds what they do in the field in months.
struct ClockWorld {
  static let second: Int64 = 1_000_000_000
  /// Ticks in a nanosecond.
  static let frequency = 2.9

  var random: SeededRandom
  /// Since the counter began; what is beyond whole ticks is kept.
  private(set) var counter: Double
  private(set) var monotonic: Double = 50e9
  private(set) var asleep: Int64 = 3 * second
  private(set) var realAhead: Int64 = 1_700_000_000 * second
  /// How much faster the clock goes than the counter.
  private var slew = 0.0
  /// How often the counter has begun anew.
  private(set) var run: UInt32 = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    counter = Double(random.below(1_000)) * 1e9
  }

  var tick: UInt64 { UInt64(counter) }
  var time: Int64 { Int64(monotonic) }

  /// As a recorder reads it, a little inexact.
  mutating func reading() -> ClockReading {
    let width = UInt64(random.below(600))
    return ClockReading(
      tick: tick,
      width: width,
      monotonic: time + Int64(width) / 6,
      boottime: time + asleep + Int64(random.below(2_000)),
      real: time + realAhead + Int64(random.below(2_000))
    )
  }

  /// Time goes on, with everybody awake.
  mutating func pass(_ nanoseconds: Int64) {
    counter += Double(nanoseconds) * Self.frequency
    monotonic += Double(nanoseconds) * (1 + slew)
  }

  /// The counter runs on while the machine sleeps (s2idle).
  mutating func sleepLightly(_ nanoseconds: Int64) {
    counter += Double(nanoseconds) * Self.frequency
    asleep += nanoseconds
    realAhead += nanoseconds
  }

  /// The counter loses its power (S3).
  ///
  /// One that has hardly begun keeps it: nobody could tell its next beginning from its going on.
  mutating func sleepDeeply(_ nanoseconds: Int64) {
    guard counter > 60e9 else { return sleepLightly(nanoseconds) }
    counter = Double(random.below(1_000_000))
    run += 1
    asleep += nanoseconds
    realAhead += nanoseconds
  }

  /// The machine goes on where the counter says something else: it was moved, or restored.
  mutating func move() {
    let before = counter
    // By a minute at least, or nobody could tell it from a pause.
    counter = before + (random.below(2) == 0 ? -1 : 1) * Double(60 + random.below(5_000)) * 1e9
    if counter < 0 { counter = before + 77e9 }
    if counter < before { run += 1 }
    realAhead += Int64(random.below(3_600)) * Self.second
  }

  mutating func changeSlew() { slew = (random.unit() - 0.5) * 1_000e-6 }

  mutating func setRealTime() { realAhead += Int64(random.below(7_200) - 3_600) * Self.second }
}
