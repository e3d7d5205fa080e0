// SPDX-License-Identifier: Apache-2.0

/// How long the recorder's thread sleeps: little while events come, long when all is quiet, but never
/// so long that a burst overruns a pool.
struct PollInterval {
  /// In nanoseconds, the same for all that is said here.
  private(set) var nanoseconds = PollInterval.least
  private var quietSince: Int64 = 0

  private static let least: Int64 = 1_000_000
  private static let busy: Int64 = 10_000_000
  private static let afterEvents: Int64 = 20_000_000
  private static let idle: Int64 = 100_000_000
  /// After this long without events all is quiet: one event a second keeps no recorder awake.
  private static let quietMin: Int64 = 100_000_000
  /// More events at once than this are a burst.
  private static let burstEvents = 2_000

  /// After a pass that brought that many events; an end that is waited for is looked for soon.
  mutating func adapt(to events: Int, now: Int64, awaitsEnd: Bool) {
    if events > 0 { quietSince = now }
    let longer = max(Self.least, nanoseconds * 3 / 2)
    if awaitsEnd {
      nanoseconds = Self.least
    } else if events > Self.burstEvents {
      nanoseconds = max(Self.least, nanoseconds / 4)
    } else if events > 0 {
      nanoseconds = min(Self.busy, longer)
    } else {
      nanoseconds = min(now - quietSince > Self.quietMin ? Self.idle : Self.afterEvents, longer)
    }
    assert(Self.least...Self.idle ~= nanoseconds)
  }
}
