// SPDX-License-Identifier: Apache-2.0

/// What gzip has compressed, as it was (RFC 1951 and 1952), within limits.
///
///     let bytes = try Gunzip.inflate(body, bytesMax: 16 << 20, ratioMax: 100)
///
/// SDKs send their batches so. Of several members each is read; checksums are not looked at: a batch that was
/// damaged is no batch.
package struct Gunzip {
  /// What was wrong with the bytes.
  package enum Problem: Error, Hashable, Sendable {
    /// They do not begin as gzip does.
    case notGzip
    /// They end in the middle.
    case cut
    /// They say what nobody would have written.
    case damaged
    /// They would be more bytes than were allowed.
    case tooLong(bytesMax: Int)
  }

  private let input: [UInt8]
  private let outputMax: Int
  private var at = 0
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0
  private var output: [UInt8] = []

  /// Whether bytes begin as gzip does.
  package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

  /// The bytes as they were; no more than `bytesMax`, and `ratioMax` times as many as came.
  ///
  /// - Throws: ``Problem``.
  package static func inflate(_ input: [UInt8], bytesMax: Int, ratioMax: Int) throws(Problem)
    -> [UInt8]
  {
    let most = min(bytesMax, input.count.multipliedReportingOverflow(by: ratioMax).partialValue)
    var gunzip = Gunzip(input: input, outputMax: most)
    repeat { try gunzip.member() } while gunzip.at < input.count
    return gunzip.output
  }

  private init(input: [UInt8], outputMax: Int) {
    (self.input, self.outputMax) = (input, outputMax)
  }

  // MARK: Members

  private mutating func member() throws(Problem) {
    guard at + 18 <= input.count else { throw begins(at) ? .cut : .notGzip }
    guard begins(at), input[at + 2] == 8 else { throw .notGzip }
    let flags = input[at + 3]
    at += 10
    if flags & 4 != 0 { try skip(2 + Int(input[at]) + Int(input[at + 1]) << 8) }
    // A name and a comment, each with a 0 behind it.
    for flag in [UInt8(8), 16] where flags & flag != 0 {
      guard let end = input[at...].firstIndex(of: 0) else { throw .cut }
      at = end + 1
    }
    if flags & 2 != 0 { try skip(2) }
    (bits, bitCount) = (0, 0)
    while try !block() {}
    // The checksum and the length.
    try skip(8)
  }

  private func begins(_ place: Int) -> Bool { input[place...].starts(with: [0x1f, 0x8b]) }

  private mutating func skip(_ count: Int) throws(Problem) {
    guard input.count - at >= count else { throw .cut }
    at += count
  }

  // MARK: Blocks

  /// Whether it was the last one.
  private mutating func block() throws(Problem) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try stored()
    case 1: try compressed(Self.fixedLiterals, Self.fixedDistances)
    case 2:
      let (literals, distances) = try dynamicCodes()
      try compressed(literals, distances)
    default: throw .damaged
    }
    return isLast
  }

  private mutating func stored() throws(Problem) {
    (bits, bitCount) = (0, 0)
    guard input.count - at >= 4 else { throw .cut }
    let count = Int(input[at]) | Int(input[at + 1]) << 8
    guard Int(input[at + 2]) | Int(input[at + 3]) << 8 == ~count & 0xffff else { throw .damaged }
    at += 4
    guard input.count - at >= count else { throw .cut }
    try makeRoom(count)
    output += input[at..<at + count]
    at += count
  }

  private mutating func compressed(_ literals: Code, _ distances: Code) throws(Problem) {
    while true {
      let symbol = try symbol(literals)
      if symbol == 256 { return }
      guard symbol > 256 else {
        try makeRoom(1)
        output.append(UInt8(symbol))
        continue
      }
      guard symbol - 257 < Self.lengths.count else { throw .damaged }
      let (length, lengthBits) = Self.lengths[symbol - 257]
      let count = try length + Int(take(lengthBits))
      let place = try self.symbol(distances)
      guard place < Self.distances.count else { throw .damaged }
      let (distance, distanceBits) = Self.distances[place]
      let back = try distance + Int(take(distanceBits))
      guard back <= output.count else { throw .damaged }
      try makeRoom(count)
      for _ in 0..<count { output.append(output[output.count - back]) }
    }
  }

  private func makeRoom(_ count: Int) throws(Problem) {
    guard outputMax - output.count >= count else { throw .tooLong(bytesMax: outputMax) }
  }

  // MARK: Bits

  private mutating func take(_ count: UInt32) throws(Problem) -> UInt32 {
    while bitCount < count {
      guard at < input.count else { throw .cut }
      bits |= UInt32(input[at]) << bitCount
      at += 1
      bitCount += 8
    }
    let value = bits & (1 << count - 1)
    bits >>= count
    bitCount -= count
    return value
  }

  private mutating func symbol(_ code: Code) throws(Problem) -> Int {
    var (word, first, index) = (0, 0, 0)
    for length in 1...15 {
      word |= Int(try take(1))
      let count = code.counts[length]
      if word - count < first { return code.symbols[index + word - first] }
      index += count
      first = (first + count) << 1
      word <<= 1
    }
    throw .damaged
  }

  // MARK: Codes

  /// A canonical Huffman code: how many words there are of each length, and their symbols in order.
  private struct Code {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int]

    init(_ lengths: ArraySlice<UInt8>) throws(Problem) {
      for length in lengths { counts[Int(length)] += 1 }
      counts[0] = 0
      var (left, places) = (1, [Int](repeating: 0, count: 17))
      for length in 1...15 {
        left = left << 1 - counts[length]
        guard left >= 0 else { throw .damaged }
        places[length + 1] = places[length] + counts[length]
      }
      symbols = Array(repeating: 0, count: lengths.count)
      for (symbol, length) in lengths.enumerated() where length != 0 {
        symbols[places[Int(length)]] = symbol
        places[Int(length)] += 1
      }
    }

    private init(known lengths: [UInt8]) {
      guard let code = try? Code(lengths[...]) else {
        preconditionFailure("a code of the standard")
      }
      self = code
    }

    static func known(_ lengths: [UInt8]) -> Code { Code(known: lengths) }
  }

  private static let fixedLiterals = Code.known(
    (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
  )
  private static let fixedDistances = Code.known([UInt8](repeating: 5, count: 30))

  /// The order in which the lengths of the code of lengths are written.
  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  private mutating func dynamicCodes() throws(Problem) -> (Code, Code) {
    let (literals, distances) = (Int(try take(5)) + 257, Int(try take(5)) + 1)
    let count = Int(try take(4)) + 4
    guard literals <= 286, distances <= 30 else { throw .damaged }
    var ofLengths = [UInt8](repeating: 0, count: 19)
    for place in Self.lengthOrder.prefix(count) { ofLengths[place] = UInt8(try take(3)) }
    let code = try Code(ofLengths[...])
    var lengths: [UInt8] = []
    while lengths.count < literals + distances {
      let symbol = try self.symbol(code)
      var (value, times) = (UInt8(0), 1)
      switch symbol {
      case 0..<16: value = UInt8(symbol)
      case 16:
        guard let last = lengths.last else { throw .damaged }
        (value, times) = (last, 3 + Int(try take(2)))
      case 17: times = 3 + Int(try take(3))
      default: times = 11 + Int(try take(7))
      }
      guard lengths.count + times <= literals + distances else { throw .damaged }
      lengths.append(contentsOf: repeatElement(value, count: times))
    }
    return (try Code(lengths[..<literals]), try Code(Array(lengths[literals...])[...]))
  }

  /// The least of each length symbol, and how many bits are added.
  private static let lengths: [(Int, UInt32)] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1),
    (17, 1), (19, 2), (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4),
    (83, 4), (99, 4), (115, 4), (131, 5), (163, 5), (195, 5), (227, 5), (258, 0),
  ]

  /// The least of each distance symbol, and how many bits are added.
  private static let distances: [(Int, UInt32)] = (0..<30).map { symbol in
    guard symbol > 3 else { return (symbol + 1, 0) }
    let bits = symbol / 2 - 1
    return ((2 + symbol % 2) << bits + 1, UInt32(bits))
  }
}
