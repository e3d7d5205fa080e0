// SPDX-License-Identifier: Apache-2.0
import Testing
import LifetraceTrace

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

  @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
  func anyTimeOfAHostileFileIsShown(time: Int64) {
    let limits: Set = [
      "1677-09-21 00:12:43.145 UTC", "1969-12-31 23:59:59.999 UTC", "1970-01-01 00:00:00.000 UTC",
      "2262-04-11 23:47:16.854 UTC",
    ]
    #expect(limits.contains(WallClock(utc: 0).text(HostTime(rawValue: time))))
    // Where start and time together leave 64 bits, the wall stands still at the end.
    for start in [Int64.min, .max] {
      let wall = WallClock(utc: start)
      let sum = start.addingReportingOverflow(time)
      let shown = sum.overflow ? (start < 0 ? Int64.min : .max) : sum.partialValue
      #expect(
        wall.text(HostTime(rawValue: time)) == WallClock(utc: 0).text(HostTime(rawValue: shown))
      )
      #expect((0..<WallClock.day).contains(wall.counted(from: HostTime(rawValue: time)).next(0)))
    }
  }
}
