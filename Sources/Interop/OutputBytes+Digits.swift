// SPDX-License-Identifier: Apache-2.0

// Numbers in decimal digits, eight of them at once.

extension OutputBytes {
  private static var eightDigits: UInt64 { 100_000_000 }

  /// Makes room for a number and puts it.
  package mutating func putNumber(_ number: Int64) {
    if number < 0 {
      makeRoom(1)
      put(UInt8(ascii: "-"))
    }
    putNumber(number.magnitude)
  }

  /// Makes room for a number and puts it.
  package mutating func putNumber(_ number: UInt64) {
    // Whole words are stored, whose last bytes may not count.
    makeRoom(24)
    if number < Self.eightDigits { return putFirst(number) }
    let high = number / Self.eightDigits
    if high < Self.eightDigits {
      putFirst(high)
    } else {
      putFirst(high / Self.eightDigits)
      putEight(Self.digits(high % Self.eightDigits))
    }
    putEight(Self.digits(number % Self.eightDigits))
  }

  /// Puts a part of a unit in `billionths`, as `.25`; there is room for 16 bytes.
  ///
  /// Without zeros at its end, but for `least` digits; nothing for none of it.
  mutating func putFraction(_ billionths: UInt64, least: Int) {
    assert(billionths < 10 * Self.eightDigits, "it is a whole unit")
    assert(capacity - filled >= 16, "no room was made")
    let first = billionths / Self.eightDigits
    let others = Self.digits(billionths % Self.eightDigits)
    let needed = others == 0 ? (first == 0 ? 0 : 1) : 9 &- others.leadingZeroBitCount / 8
    let count = max(needed, least)
    guard count > 0 else { return }
    let start = filled
    put(UInt8(ascii: "."))
    put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: first))
    putEight(others)
    shorten(to: start &+ 1 &+ count)
  }

  /// Puts a number below 100,000,000 without zeros in front; there is room for eight bytes.
  @inline(__always)
  private mutating func putFirst(_ number: UInt64) {
    let digits = Self.digits(number)
    let zeros = min(7, digits.trailingZeroBitCount / 8)
    putEight(digits >> UInt64(8 &* zeros))
    filled &-= zeros
  }

  /// Puts eight digits, the first in the lowest byte; there is room for eight bytes.
  @inline(__always)
  private mutating func putEight(_ digits: UInt64) {
    assert(capacity - filled >= 8, "no room was made")
    let text = digits | 0x3030_3030_3030_3030
    UnsafeMutableRawPointer(base + filled).storeBytes(of: text.littleEndian, as: UInt64.self)
    filled &+= 8
  }

  /// The eight digits of a number below 100,000,000 as values of bytes, the first in the lowest one.
  ///
  /// The number is cut in halves, those in theirs, and so on: each step does it to all parts of the word, and
  /// divides by multiplying, which is exact for numbers so small.
  @inline(__always)
  private static func digits(_ number: UInt64) -> UInt64 {
    let fours = number / 10_000 | (number % 10_000) << 32
    let hundreds = (fours &* 10_486) >> 20 & 0x0000_007f_0000_007f
    let pairs = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (pairs &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens | (pairs &- tens &* 10) << 8
  }
}
