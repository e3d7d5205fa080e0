// SPDX-License-Identifier: Apache-2.0

/// Numbers as bits, for a header: what an exact time or a random id has of noise, and little more.
///
/// A base is taken off all of them. What is left has as many bits as the greatest needs, or stands in a Rice code
/// (its bits from the k-th on in unary, then the k lower ones), whichever takes fewer. One that would
/// have a long unary part, as a pause among frames has, is written out behind a mark.
///
/// Cost: a few passes over the numbers. The first bit is the lowest of the first byte.
struct BitColumn {
  /// Zeros that no unary part has: the number follows in 64 bits.
  private static let markZeros = 16
  /// Set in a code whose numbers all have the same count of bits.
  private static let plainCode: UInt8 = 0x80

  private var numbers: [UInt64]
  private var base: UInt64 = 0
  private var code = BitColumn.plainCode
  /// How many bits the numbers take.
  private(set) var bits = 0

  /// Looks how `numbers` are written in the fewest bits.
  init(_ numbers: [UInt64]) {
    self.numbers = numbers
    var (least, greatest) = (UInt64.max, UInt64(0))
    for number in numbers {
      least = min(least, number)
      greatest = max(greatest, number)
    }
    base = min(least, greatest)
    let width = Self.width(greatest &- base)
    // A base that saves nothing is left out: of ids that were drawn it has as many bits as one of them.
    if width == Self.width(greatest), width > 0 { base = 0 }
    code = Self.plainCode | UInt8(width)
    bits = width * numbers.count
    guard width > 0 else { return }
    var sum = 0
    for index in numbers.indices {
      let number = numbers[index] &- base
      self.numbers[index] = number
      sum &+= Self.width(number)
    }
    // The best is near the mean of the widths, whatever the greatest is.
    let middle = min(max(sum / numbers.count - 1, 0), width - 1)
    for k in middle...min(middle + 1, width - 1) {
      let cost = riceBits(k)
      if cost < bits { (bits, code) = (cost, UInt8(k)) }
    }
  }

  private static func width(_ number: UInt64) -> Int {
    UInt64.bitWidth - number.leadingZeroBitCount
  }

  private func riceBits(_ k: Int) -> Int {
    var bits = (k + 1) * numbers.count
    let marked = Self.markZeros + 63 - k
    for number in numbers {
      let unary = number &>> UInt64(k)
      bits &+= unary < Self.markZeros ? Int(truncatingIfNeeded: unary) : marked
    }
    return bits
  }

  /// Writes code and base, and the bits filled up to whole bytes.
  func encode(into out: inout ByteWriter) {
    out.byte(code)
    out.varint(base)
    guard bits > 0 else { return }
    let isPlain = code & Self.plainCode != 0
    let k = Int(code & ~Self.plainCode)
    let start = out.count
    let end = start + (bits + 7) / 8
    // A word is stored at a time, and what it reaches beyond the end is cut off.
    out.bytes.append(contentsOf: repeatElement(0, count: end - start + 8))
    out.bytes.withUnsafeMutableBytes { bytes in
      var writer = BitWriter(bytes, from: start)
      for number in numbers {
        guard !isPlain else {
          writer.put(number, bits: k)
          continue
        }
        let unary = number &>> UInt64(k)
        if unary < Self.markZeros {
          writer.putFew(1 &<< unary, Int(truncatingIfNeeded: unary) + 1)
          writer.put(number, bits: k)
        } else {
          writer.putFew(0, Self.markZeros)
          writer.put(number, bits: 64)
        }
      }
    }
    out.bytes.removeLast(8)
  }
}

extension BitColumn {
  /// Reads `count` numbers that ``encode(into:)`` wrote and hands each to `body` with its place.
  @inline(__always)
  static func decode(
    _ part: StaticString,
    count: Int,
    from input: inout ByteReader,
    _ body: (Int, UInt64) throws(ChunkDamage) -> Void
  ) throws(ChunkDamage) {
    let at = input.position
    let code = try input.byte(part)
    let isPlain = code & plainCode != 0
    let k = Int(code & ~plainCode)
    guard isPlain ? k <= 64 : k < 64 else {
      throw ChunkDamage(
        "\(part)",
        found: UInt64(code),
        expected: "a width of at most 64 bits",
        at: at
      )
    }
    let base = try input.varint(part)
    guard code != plainCode else {
      for place in 0..<count { try body(place, base) }
      return
    }
    let (from, end) = (input.position, input.end)
    let (taken, restIsZero) = try input.bytes.withUnsafeBufferPointer {
      (bytes) throws(ChunkDamage) -> (Int, Bool) in
      var bits = BitReader(UnsafeRawBufferPointer(bytes), from: from, to: end)
      for place in 0..<count {
        let number: UInt64
        if isPlain {
          number = bits.take(k)
        } else {
          let unary = bits.takeZeros(max: markZeros)
          number =
            unary == markZeros ? bits.take(64) : UInt64(unary) &<< UInt64(k) | bits.take(k)
        }
        guard bits.isWithin else { break }
        try body(place, number &+ base)
      }
      return (bits.bytesTaken, bits.isWithin && bits.restIsZero)
    }
    // Fewer throw here.
    _ = try input.take(taken, part)
    guard restIsZero else {
      throw ChunkDamage("\(part)", found: 1, expected: "zeros behind the last", at: input.position)
    }
  }
}

/// Puts bits into bytes, lowest first.
private struct BitWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private var byte: Int
  private var word: UInt64 = 0
  private var used: UInt64 = 0

  init(_ bytes: UnsafeMutableRawBufferPointer, from start: Int) {
    self.bytes = bytes
    byte = start
  }

  /// The lowest `count` bits of `value`, at most 64.
  @inline(__always)
  mutating func put(_ value: UInt64, bits count: Int) {
    guard count > 32 else { return putFew(value & ((1 &<< UInt64(count)) &- 1), count) }
    putFew(value & 0xffff_ffff, 32)
    putFew((value &>> 32) & (UInt64.max >> UInt64(96 - count)), count - 32)
  }

  /// A value of so many bits, at most 56.
  @inline(__always)
  mutating func putFew(_ value: UInt64, _ count: Int) {
    word |= value &<< used
    bytes.storeBytes(of: word.littleEndian, toByteOffset: byte, as: UInt64.self)
    used &+= UInt64(count)
    byte &+= Int(used &>> 3)
    word &>>= used & ~7
    used &= 7
  }
}

/// Takes bits from bytes, lowest first; those beyond the end are zeros, and said.
private struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  private let end: Int
  /// The place of the next bit behind the first byte.
  private var at = 0

  init(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
    self.bytes = bytes
    self.start = start
    self.end = end
  }

  /// No bit was taken from beyond the end.
  var isWithin: Bool { at <= (end - start) * 8 }
  /// Bytes of which a bit was taken.
  var bytesTaken: Int { (at + 7) / 8 }
  /// Whether no bit is set in the last of these behind the last one taken.
  var restIsZero: Bool { at % 8 == 0 || bytes[start + at / 8] >> UInt8(at % 8) == 0 }

  /// At least 57 bits from the next one on.
  @inline(__always)
  private var window: UInt64 {
    let byte = start &+ at &>> 3
    var word: UInt64 = 0
    if byte &+ 8 <= end {
      word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
    } else {
      for index in stride(from: end - 1, through: byte, by: -1) {
        word = word &<< 8 | UInt64(bytes[index])
      }
    }
    return word &>> UInt64(at & 7)
  }

  /// The next `count` bits, at most 64.
  @inline(__always)
  mutating func take(_ count: Int) -> UInt64 {
    if count > 57 {
      let low = take(upTo57: 32)
      return low | take(upTo57: count - 32) &<< 32
    }
    return take(upTo57: count)
  }

  @inline(__always)
  private mutating func take(upTo57 count: Int) -> UInt64 {
    defer { at &+= count }
    return window & ((1 &<< UInt64(count)) &- 1)
  }

  /// How many zeros come before a one, and passes that; of `max` of them nothing else is passed.
  @inline(__always)
  mutating func takeZeros(max: Int) -> Int {
    let zeros = min(window.trailingZeroBitCount, max)
    at &+= zeros < max ? zeros + 1 : max
    return zeros
  }
}
