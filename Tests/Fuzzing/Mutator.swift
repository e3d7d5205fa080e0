// SPDX-License-Identifier: Apache-2.0
internal import Support

/// Changes bytes as damage and malice would: flips, cuts, repeats, words in the wrong place.
struct Mutator {
  private var random: SplitMix
  private let words: [[UInt8]]

  init(seed: UInt64, words: [[UInt8]]) {
    random = SplitMix(seed: seed)
    self.words = words
  }

  mutating func below(_ bound: Int) -> Int { Int(random.below(UInt64(max(1, bound)))) }

  /// Bytes of no shape at all.
  mutating func noise() -> [UInt8] {
    let count = below(600)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// A few changes; `other` is something to take pieces of.
  mutating func mutate(_ bytes: inout [UInt8], other: [UInt8], in range: Range<Int>? = nil) {
    // Mostly few, and often behind some point: what comes first is checked first.
    let times = below(4) == 0 ? 1 << below(5) : 1 + below(2)
    let start = below(2) == 0 ? 0 : below(bytes.count)
    for _ in 0..<times {
      let whole = min(start, bytes.count)..<bytes.count
      let range = range.map { $0.clamped(to: 0..<bytes.count) } ?? whole
      change(&bytes, other, range)
    }
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8], _ range: Range<Int>) {
    guard !range.isEmpty else {
      bytes += other.prefix(below(64))
      return
    }
    let at = range.lowerBound + below(range.count)
    let length = min(1 + below(1 << below(9)), range.upperBound - at)
    switch below(12) {
    case 0: bytes[at] ^= 1 << UInt8(below(8))
    case 1: bytes[at] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, 0x20, 0x0A, 0x22][below(8)]
    case 3: bytes.removeSubrange(at..<(at + length))
    case 4: bytes.insert(contentsOf: Array(bytes[at..<(at + length)]), at: at)
    case 5: bytes.insert(contentsOf: word(), at: at)
    case 6:
      let word = word()
      bytes.replaceSubrange(at..<min(bytes.count, at + word.count), with: word)
    case 7: bytes.removeSubrange(at...)
    case 8 where !other.isEmpty:
      let from = below(other.count)
      bytes.insert(contentsOf: other[from..<min(other.count, from + length)], at: at)
    case 9: number(&bytes, at)
    case 10:
      for index in at..<(at + length) { bytes[index] = bytes[at] }
    default:
      let second = range.lowerBound + below(range.count)
      bytes.swapAt(at, second)
    }
  }

  /// A number of 1 to 8 bytes that is likely to be a limit.
  private mutating func number(_ bytes: inout [UInt8], _ at: Int) {
    let limits: [UInt64] = [
      0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 40,
      0x7FFF_FFFF_FFFF_FFFF, .max, 16_384, 16_385, 4_096, 0x8000_0000_0000_0000,
    ]
    let value = limits[below(limits.count)] &+ UInt64(bitPattern: Int64(below(3) - 1))
    for byte in 0..<min(1 << below(4), bytes.count - at) {
      bytes[at + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))
    }
  }

  private mutating func word() -> [UInt8] {
    words.isEmpty ? [0] : words[below(words.count)]
  }
}
