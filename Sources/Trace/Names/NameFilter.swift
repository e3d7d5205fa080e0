// SPDX-License-Identifier: Apache-2.0

/// Which names a chunk may hold: a Bloom filter, so that a search skips the chunk undecoded.
///
///     if !header.nameFilter.mayContain("draft.txt") { continue }
///
/// About ten bits a name and four probes: one name in a hundred is suspected wrongly, none is
/// missed. The hash is 64-bit FNV-1a of the UTF-8 bytes; probe i is bit
/// (h + i · (h >> 32 | 1)) modulo the filter's size, which is a power of two.
public struct NameFilter: Hashable, Sendable {
  /// The most bytes of a filter.
  public static let bytesMax = 4_096
  /// The bits; the count is 0 (no names) or a power of two.
  public private(set) var bytes: [UInt8]

  /// A filter without names.
  public init() { bytes = [] }

  /// A filter sized for `count` names.
  public init(expecting count: Int) {
    guard count > 0 else {
      bytes = []
      return
    }
    var size = 8
    while size * 8 < count * 10, size < NameFilter.bytesMax { size *= 2 }
    bytes = [UInt8](repeating: 0, count: size)
  }

  /// Bits as read from a file; nil unless their count is 0 or a power of two within the limit.
  public init?(bytes: [UInt8]) {
    guard bytes.count <= NameFilter.bytesMax, bytes.count & (bytes.count - 1) == 0 else {
      return nil
    }
    self.bytes = bytes
  }

  /// Adds a name; the filter must have been sized for one.
  public mutating func insert(_ name: String) {
    let hash = NameFilter.hash(name)
    for probe in 0..<4 {
      let bit = position(hash, probe)
      bytes[bit >> 3] |= 1 << UInt8(bit & 7)
    }
  }

  /// False when the chunk certainly has no such name.
  public func mayContain(_ name: String) -> Bool {
    if bytes.isEmpty { return false }
    let hash = NameFilter.hash(name)
    return (0..<4).allSatisfy { probe in
      let bit = position(hash, probe)
      return bytes[bit >> 3] & (1 << UInt8(bit & 7)) != 0
    }
  }

  private func position(_ hash: UInt64, _ probe: Int) -> Int {
    let step = (hash >> 32) | 1
    return Int((hash &+ UInt64(probe) &* step) & UInt64(bytes.count * 8 - 1))
  }

  private static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
