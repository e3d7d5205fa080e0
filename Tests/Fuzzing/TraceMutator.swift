// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform
internal import CLifetraceZstd
import Support

/// Changes a trace file so that the changes get past its checksums.
///
/// A chunk is a skippable frame with the header and a zstd frame. Half of the
/// mutations change the header, or the columns behind the compression, and put
/// the lengths and sums right again: without that nothing behind the first
/// checksum would ever see hostile bytes.
enum TraceMutator {
  struct Chunk {
    var header: Range<Int>
    var payload: Range<Int>
  }

  static func mutate(_ bytes: inout [UInt8], with mutator: inout Mutator) {
    let chunks = chunks(of: bytes)
    guard !chunks.isEmpty else { return mutator.mutate(&bytes, other: bytes) }
    let chunk = chunks[mutator.below(chunks.count)]
    switch mutator.below(9) {
    case 0: mutator.mutate(&bytes, other: bytes)
    case 1: bytes.removeSubrange(mutator.below(bytes.count)...)
    case 2: splice(&bytes, chunks, &mutator)
    case 3, 4: changeHeader(&bytes, chunk, &mutator)
    case 5:
      // Strings that nothing uses, as long as they can be.
      let long = [UInt8](repeating: 0x41, count: 1 + mutator.below(16_384))
      let strings = (0..<mutator.below(100)).map { index in
        Array(String(index).utf8) + long.dropLast(8)
      }
      changePayload(&bytes, chunk) { $0 = StringTable.adding(strings, to: $0) }
    default: changePayload(&bytes, chunk) { mutator.mutate(&$0, other: $0) }
    }
  }

  /// The chunks of a file that is whole.
  static func chunks(of bytes: [UInt8]) -> [Chunk] {
    var chunks: [Chunk] = []
    var at = 0
    while at + 32 <= bytes.count, word(bytes, at) == 0x184D_2A5C {
      let header = at..<(at + 8 + Int(word(bytes, at + 4)))
      guard header.upperBound <= bytes.count else { break }
      let end = header.upperBound + Int(word(bytes, at + 20))
      guard end <= bytes.count else { break }
      chunks.append(Chunk(header: header, payload: header.upperBound..<end))
      at = end
    }
    return chunks
  }

  private static func splice(
    _ bytes: inout [UInt8],
    _ chunks: [Chunk],
    _ mutator: inout Mutator
  ) {
    let one = chunks[mutator.below(chunks.count)]
    let whole = Array(bytes[one.header.lowerBound..<one.payload.upperBound])
    if mutator.below(2) == 0 {
      bytes.insert(contentsOf: whole, at: chunks[mutator.below(chunks.count)].header.lowerBound)
    } else {
      bytes.removeSubrange(one.header.lowerBound..<one.payload.upperBound)
    }
  }

  private static func changeHeader(
    _ bytes: inout [UInt8],
    _ chunk: Chunk,
    _ mutator: inout Mutator
  ) {
    var header = Array(bytes[chunk.header])
    let fields = 20..<(header.count - 4)
    mutator.mutate(&header, other: header, in: fields)
    seal(&header)
    bytes.replaceSubrange(chunk.header, with: header)
  }

  private static func changePayload(
    _ bytes: inout [UInt8],
    _ chunk: Chunk,
    _ change: (inout [UInt8]) -> Void
  ) {
    var header = Array(bytes[chunk.header])
    guard var payload = decompress(bytes[chunk.payload], Int(word(header, 24))) else { return }
    change(&payload)
    let compressed = compress(payload)
    put(UInt32(compressed.count), &header, 20)
    put(UInt32(payload.count), &header, 24)
    put(checksum(compressed), &header, 28)
    seal(&header)
    bytes.replaceSubrange(
      chunk.header.lowerBound..<chunk.payload.upperBound,
      with: header + compressed
    )
  }

  /// Puts length and checksum of a header right.
  private static func seal(_ header: inout [UInt8]) {
    guard header.count > 36 else { return }
    put(UInt32(header.count - 8), &header, 4)
    put(checksum(Array(header.dropLast(4))), &header, header.count - 4)
  }

  static func decompress(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [UInt8]? {
    guard count < 1 << 24 else { return nil }
    var failed = false
    let payload = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let result = bytes.withUnsafeBufferPointer {
        ZSTD_decompress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
      }
      failed = ZSTD_isError(result) != 0
      filled = failed ? 0 : result
    }
    return failed ? nil : payload
  }

  private static func compress(_ payload: [UInt8]) -> [UInt8] {
    let capacity = ZSTD_compressBound(payload.count)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
      filled = payload.withUnsafeBufferPointer {
        ZSTD_compress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count, 1)
      }
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBufferPointer { cplatform_crc32c(0, $0.baseAddress, $0.count) }
  }

  static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
  }

  private static func put(_ value: UInt32, _ bytes: inout [UInt8], _ at: Int) {
    for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)) }
  }
}
