// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

@Suite("Quantities")
struct QuantityTests {
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

  @Test func numbersHaveTheirPlural() {
    #expect(Quantity.count(1, "process") == "1 process")
    #expect(Quantity.count(1_204, "process") == "1,204 processes")
    #expect(Quantity.count(0, "chunk") == "0 chunks")
    #expect(Quantity.fileBytes(1, events: 0) == "1 byte")
    #expect(Quantity.fileBytes(4_060, events: 1_000) == "4,060 bytes (4.06 an event)")
    #expect(Quantity.fileBytes(3_282, events: 62) == "3,282 bytes (52.9 an event)")
  }
}
