// SPDX-License-Identifier: Apache-2.0
import Testing
import Trace

/// Days and times as hosts and logs know them.
@Suite struct WallClockTests {
  private func attributes(_ clock: ClockDomain, _ offset: Int64, _ evidence: EvidenceTier)
    -> WriterAttributes
  {
    var attributes = WriterAttributes(app: "notes")
    attributes.clock = clock
    attributes.realOffset = offset
    attributes.evidence = evidence
    return attributes
  }

  @Test func aHostKnowsTheDayInGreenwich() throws {
    let wall = try #require(
      WallClock(of: attributes(.monotonic, 1_700_000_000_000_000_000, .child))
    )
    #expect(wall.text(HostTime(rawValue: 123_000_000)) == "2023-11-14 22:13:20.123 UTC")
    #expect(WallClock(utc: 0).text(HostTime(rawValue: -1)) == "1969-12-31 23:59:59.999 UTC")
    #expect(WallClock(of: attributes(.monotonic, 0, .child)) == nil)
    #expect(WallClock(of: attributes(.virtual, 0, .simulated)) == nil)
  }

  @Test func aLogIsShownAsItWasWritten() throws {
    let hour: Int64 = 3_600_000_000_000
    let dated = try #require(WallClock(of: attributes(.real, 8 * hour, .log)))
    #expect(dated.text(HostTime(rawValue: 0)) == "1970-01-01 08:00:00.000 +08:00")
    let west = try #require(WallClock(of: attributes(.real, -hour / 2 * 7, .log)))
    #expect(west.text(HostTime(rawValue: 0)) == "1969-12-31 20:30:00.000 -03:30")
    // Nobody has said which zone it is.
    let zoneless = try #require(WallClock(of: attributes(.real, 0, .log)))
    #expect(zoneless.text(HostTime(rawValue: hour)) == "1970-01-01 01:00:00.000")
    let dayless = try #require(WallClock(of: attributes(.timeOfDay, 0, .log)))
    #expect(dayless.text(HostTime(rawValue: hour)) == "01:00:00.000")
    #expect(dayless.text(HostTime(rawValue: 25 * hour)) == "01:00:00.000, day 2")
    #expect(dayless.clock(HostTime(rawValue: 1_500), digits: 6) == "00:00:00.000001")
    #expect(dayless.clock(HostTime(rawValue: 1_500), digits: 0) == "00:00:00")
  }

  @Test func theNextTimeThatItShowsMayBeTomorrow() {
    let wall = WallClock(utc: WallClock.day - 5)
    #expect(wall.next(10) == 15)
    #expect(wall.next(WallClock.day - 1) == 4)
    #expect(wall.counted(from: HostTime(rawValue: 7)).next(10) == 8)
  }
}
