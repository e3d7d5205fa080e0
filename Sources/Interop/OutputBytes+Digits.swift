// SPDX-License-Identifier: Apache-2.0

// Numbers in decimal digits, two of them for each division.

extension OutputBytes {
  /// The two digits of each number below 100.
  private static let pairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """

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
    makeRoom(20)
    if number < 10 { return put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)) }
    var (digits, limit): (Int, UInt64) = (2, 100)
    while digits < 20, number >= limit {
      digits &+= 1
      limit = limit &* 10
    }
    putDigits(number, count: digits)
  }

  /// Puts the last digits of a number, for which there is room; zeros in front are digits too.
  mutating func putDigits(_ number: UInt64, count: Int) {
    assert(capacity - filled >= count, "no room was made")
    let pairs = Self.pairs.utf8Start
    var (rest, place) = (number, filled &+ count)
    while place &- filled > 1 {
      let pair = Int(truncatingIfNeeded: rest % 100) &* 2
      rest /= 100
      place &-= 2
      base[place] = pairs[pair]
      base[place &+ 1] = pairs[pair &+ 1]
    }
    if place > filled { base[filled] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10) }
    filled &+= count
  }

  /// Puts a part of a unit that has so many `digits`, as `.25`, for which there is room.
  ///
  /// Without zeros at its end, but for `least` digits; nothing for none of it.
  mutating func putFraction(_ part: UInt64, digits: Int, least: Int) {
    let point = filled
    put(UInt8(ascii: "."))
    putDigits(part, count: digits)
    var end = filled
    while end &- point &- 1 > least, base[end &- 1] == UInt8(ascii: "0") { end &-= 1 }
    shorten(to: end == point &+ 1 ? point : end)
  }
}
