// SPDX-License-Identifier: Apache-2.0
import Testing
import LifetraceTrace

@Suite("Quantities")
struct QuantityTests {
  @Test("Durations are read exactly, in any unit, also several")
  func durations() {
    let known: [(String, Int64)] = [
      ("300ms", 300_000_000), ("1m30s", 90_000_000_000), ("1.5h", 5_400_000_000_000),
      ("0.000000001s", 1), ("12,345.5 s", 12_345_500_000_000), ("2d", 172_800_000_000_000),
      ("3min", 180_000_000_000), ("7us", 7_000), ("7µs", 7_000), ("0", 0),
      ("9223372036.854775807s", .max),
    ]
    for (text, expected) in known {
      #expect(TypedQuantity.nanoseconds(text) == expected, "\(text)")
      #expect(TypedQuantity.nanoseconds(text, bareSeconds: true) == expected, "\(text)")
    }
    #expect(TypedQuantity.nanoseconds("2.104", bareSeconds: true) == 2_104_000_000)
  }

  @Test("What is no duration is refused", arguments: [false, true])
  func noDurations(bareSeconds: Bool) {
    for wrong in ["", "x", "s", "1x", "1..2", ".", "-1s", "+1s", "99999999999h", "1e3s", "٣s"] {
      #expect(TypedQuantity.nanoseconds(wrong, bareSeconds: bareSeconds) == nil, "\(wrong)")
    }
    #expect(TypedQuantity.nanoseconds("9223372036.854775808s") == nil)
    #expect(TypedQuantity.nanoseconds("2.104") == nil, "a unit is asked for")
  }

  @Test("Sizes are read in powers of 1,000 and of 1,024")
  func sizes() {
    let known = [
      ("4096", 4096), ("64MiB", 64 << 20), ("10MB", 10_000_000), ("2K", 2048), ("1B", 1),
    ]
    for (text, expected) in known { #expect(TypedQuantity.bytes(text) == expected, "\(text)") }
    for wrong in ["", "0", "MiB", "-1", "1.5MiB", "1 MiB", "99999999999GiB", "1X"] {
      #expect(TypedQuantity.bytes(wrong) == nil, "\(wrong)")
    }
  }

  @Test("A length of time is rounded, not cut, also over the edge of a unit")
  func writtenDurations() {
    let known: [(Int64, String)] = [
      (0, "0 ns"), (999, "999 ns"), (1_000, "1 µs"), (1_049, "1 µs"), (1_050, "1.1 µs"),
      (99_949, "99.9 µs"), (99_950, "100 µs"), (999_499, "999 µs"), (999_500, "1 ms"),
      (1_498_000_000, "1.5 s"), (-1_498_000_000, "-1.5 s"), (999_500_000, "1 s"),
      (119_499_999_999, "119 s"), (119_500_000_000, "2 min"), (185_400_000_000, "3 min 5 s"),
      (185_500_000_000, "3 min 6 s"), (7_199_499_999_999, "119 min 59 s"),
      (7_199_500_000_000, "2 h"), (7_229_999_999_999, "2 h"), (7_230_000_000_000, "2 h 1 min"),
      (.max, "2,562,047 h 47 min"), (.min, "-2,562,047 h 47 min"),
    ]
    for (nanoseconds, text) in known { #expect(Quantity.duration(nanoseconds) == text) }
  }

  @Test("A size is rounded, however great")
  func writtenSizes() {
    #expect(Quantity.bytes(99_999) == "99,999 bytes")
    #expect(Quantity.bytes(102_348) == "99.9 KiB")
    #expect(Quantity.bytes(102_349) == "100 KiB")
    #expect(Quantity.bytes(.max) == "17592186044416 MiB")
  }
}
