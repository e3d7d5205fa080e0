// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
package import LifetraceTrace

/// The clocks of the host, read together.
package struct ClockReading: Equatable, Sendable {
  package var tick: UInt64
  /// Between the reads of the counter before and after the clock: how exact the pair is.
  package var width: UInt64
  package var monotonic: Int64
  package var boottime: Int64
  package var real: Int64

  package init(tick: UInt64, width: UInt64 = 0, monotonic: Int64, boottime: Int64, real: Int64) {
    self.tick = tick
    self.width = width
    self.monotonic = monotonic
    self.boottime = boottime
    self.real = real
  }

  /// The clocks now; where there is no counter that can be used, its ticks are nanoseconds.
  init(usingCounter: Bool) {
    let clocks = cplatform_read_clocks()
    self.init(
      tick: usingCounter ? clocks.tick : UInt64(clocks.monotonic),
      width: usingCounter ? clocks.width : 0,
      monotonic: clocks.monotonic,
      boottime: clocks.boottime,
      real: clocks.real
    )
  }

  /// How long the machine has slept since it was started.
  var asleep: Int64 { boottime - monotonic }

  /// A clock that is farther off than this was set, or the machine has slept: less is the time that
  /// reading takes.
  static var stepMin: Int64 { 1_000_000 }

  /// As a chunk keeps it.
  package var bracket: ClockBracket {
    ClockBracket(tick: tick, monotonic: monotonic, boottime: boottime, real: real, width: width)
  }
}
