// SPDX-License-Identifier: Apache-2.0
import Testing
import LifetraceTrace

@testable import LifetraceRecorder

/// What clocks do in the field: somebody sets them, the machine sleeps, the counter lies.
@Suite struct ClockTests {
  private static let second: Int64 = 1_000_000_000

  /// Ticks of a third of a nanosecond, and three clocks far apart.
  private func reading(
    _ now: Int64,
    set: Int64 = 0,
    asleep: Int64 = 0,
    lies: Int64 = 0
  ) -> ClockReading {
    ClockReading(
      tick: UInt64(3 * (now + 1_000 * Self.second)),
      monotonic: now + lies,
      boottime: now + 5 * Self.second + asleep,
      real: now + 1_700_000_000 * Self.second + set
    )
  }

  private func clock(usesCounter: Bool) -> HostClock {
    let fit =
      usesCounter ? ClockFit(from: reading(0), to: reading(Self.second)) : ClockFit()
    var clock = HostClock(adopting: fit, usesCounter: usesCounter)
    _ = clock.steer(to: reading(2 * Self.second))
    return clock
  }

  @Test(arguments: [true, false])
  func aClockThatIsSetBackBeginsAnEpochAndMovesNoEvent(usesCounter: Bool) {
    var clock = clock(usesCounter: usesCounter)
    #expect(!clock.steer(to: reading(3 * Self.second)).isEpoch)
    let tick = reading(3 * Self.second + 7).tick
    let before = clock.fit.time(of: tick)
    #expect(clock.steer(to: reading(4 * Self.second, set: -3_600 * Self.second)).isEpoch)
    let offset = clock.realOffset - (1_700_000_000 - 3_600) * Self.second
    #expect(abs(offset) < 1_000)
    #expect(clock.fit.time(of: tick) == before)
    // Once: from now on this is its time.
    #expect(!clock.steer(to: reading(5 * Self.second, set: -3_600 * Self.second)).isEpoch)
  }

  @Test(arguments: [true, false])
  func aMachineThatSleptBeginsAnEpoch(usesCounter: Bool) {
    var clock = clock(usesCounter: usesCounter)
    #expect(clock.steer(to: reading(3 * Self.second, asleep: 60 * Self.second)).isEpoch)
    #expect(!clock.steer(to: reading(4 * Self.second, asleep: 60 * Self.second)).isEpoch)
    #expect(clock.last.bracket.boottime - clock.last.bracket.monotonic == 65 * Self.second)
  }

  /// A run that begins in the future, since the clock stands behind, may end before it has begun.
  @Test func theRunsOfACounterNeverGoBack() {
    var clock = clock(usesCounter: true)
    #expect(clock.fit.run == 0)
    func reading(_ tick: UInt64, _ monotonic: Int64) -> ClockReading {
      ClockReading(tick: tick, monotonic: monotonic, boottime: monotonic, real: monotonic)
    }
    #expect(clock.steer(to: reading(1_000, Self.second)).isRestart)
    #expect(clock.fit.run == 1)
    #expect(!clock.steer(to: reading(2_000, 60 * Self.second)).isRestart)
    #expect(clock.fit.run == 1)
  }

  @Test(arguments: [Int64(-2_000_000_000), -300_000, 300_000, 2_000_000_000])
  func aCounterThatLiesBeginsAnEpochAndTimeNeverRunsBack(lies: Int64) {
    var clock = clock(usesCounter: true)
    var last = clock.fit.time(of: reading(2 * Self.second).tick)
    for step in Int64(21)...60 {
      let now = step * Self.second / 10
      let steered = clock.steer(to: reading(now, lies: step >= 30 ? lies : 0))
      #expect(!steered.isEpoch || step >= 30)
      if step == 30 { #expect(steered.isEpoch) }
      let time = clock.fit.time(of: reading(now).tick)
      #expect(time >= last)
      last = time
    }
  }
}
