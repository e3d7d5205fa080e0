// SPDX-License-Identifier: Apache-2.0
import LifetraceWords
import Testing

@Suite("Quantities as people type them")
struct TypedQuantityTests {
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
}
