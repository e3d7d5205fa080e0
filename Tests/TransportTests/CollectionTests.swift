// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import Support
import Testing

struct CollectionTests {
  private func open(_ folder: TestFolder) throws -> Collection {
    try Collection(in: folder.file("store")) { "2026-11-23T10" }
  }

  /// A power cut may leave any part of what was written since the last sync.
  @Test func whateverAPowerCutLeavesIsKnownRight() throws {
    let folder = try TestFolder()
    let chunks = Array(try WorldTests.chunks(seed: 3, in: folder).prefix(3))
    #expect(chunks.count == 3)
    var safe: UInt64 = 0
    do {
      let collection = try open(folder)
      #expect(try collection.take(chunks[0]) == .stored)
      try collection.synchronize()
      safe = collection.bytes
      for chunk in chunks.dropFirst() { _ = try collection.take(chunk) }
    }
    let name = "store/2026-11-23T10.lifetrace"
    let whole = try folder.read(name)
    for cut in Int(safe)...whole.count {
      try folder.write(Array(whole[..<cut]), to: name)
      let collection = try open(folder)
      let there = chunks.filter {
        collection.held(of: $0.identity.writer).contains($0.identity.numbers)
      }
      var bytes = 0
      let expected = chunks.prefix {
        bytes += $0.bytes.count
        return bytes <= cut
      }
      #expect(there.map(\.identity) == expected.map(\.identity), "cut at byte \(cut)")
      for chunk in chunks { _ = try collection.take(chunk) }
      try collection.close()
      let reader = try TraceReader(path: folder.file(name))
      #expect(reader.departing().count == 3, "cut at byte \(cut)")
      #expect(reader.problems.allSatisfy { !$0.isDamage }, "cut at byte \(cut)")
    }
  }

  /// Blocks of a file reach the disk in any order: any byte behind what was synced may be another one.
  @Test func whateverAByteBecomesWhatIsKnownIsThere() throws {
    let folder = try TestFolder()
    let chunks = Array(try WorldTests.chunks(seed: 3, in: folder).prefix(3))
    var safe: UInt64 = 0
    do {
      let collection = try open(folder)
      _ = try collection.take(chunks[0])
      try collection.synchronize()
      safe = collection.bytes
      for chunk in chunks.dropFirst() { _ = try collection.take(chunk) }
    }
    let name = "store/2026-11-23T10.lifetrace"
    let whole = try folder.read(name)
    // Each byte of the one in the middle, and some of the last one, which may look like a torn tail.
    let last = Int(safe) + chunks[1].bytes.count
    let places = Array(Int(safe)..<last) + stride(from: last, to: whole.count, by: 5)
    for index in places {
      var bytes = whole
      bytes[index] ^= index % 2 == 0 ? 0x10 : 0xff
      try folder.write(bytes, to: name)
      try expectKnownIsThere(folder, chunks, name, damagedAt: index)
    }
    // Nothing of what was not synced has come, but the file has its length.
    try folder.write(Array(whole[..<Int(safe)]) + Array(repeating: 0, count: 4_096), to: name)
    try expectKnownIsThere(folder, chunks, name, damagedAt: Int(safe))
    try folder.write(Array(repeating: 0, count: 4_096), to: name)
    try expectKnownIsThere(folder, chunks, name, damagedAt: 0)
  }

  private func expectKnownIsThere(
    _ folder: TestFolder,
    _ chunks: [TravellingChunk],
    _ name: String,
    damagedAt index: Int
  ) throws {
    let collection = try open(folder)
    var end = 0
    for chunk in chunks {
      let place = end..<end + chunk.bytes.count
      end = place.upperBound
      let isKnown = collection.held(of: chunk.identity.writer).contains(chunk.identity.numbers)
      #expect(!isKnown || !place.contains(index), "damaged at byte \(index)")
      #expect(try collection.take(chunk) == (isKnown ? .known : .stored))
    }
    try collection.close()
    let reader = try TraceReader(path: folder.file(name))
    try reader.verify()
    #expect(reader.duplicates == 0 && reader.departing().count == 3, "damaged at byte \(index)")
    #expect(reader.problems.allSatisfy { !$0.isDamage }, "\(index): \(reader.problems)")
    for other in namesInDirectory(folder.file("store")) where other.contains(".damaged-") {
      unlink(folder.file("store/" + other))
    }
  }

  @Test func aContradictionIsKeptAside() throws {
    let folder = try TestFolder()
    let chunk = try #require(try WorldTests.chunks(seed: 4, in: folder).first)
    let collection = try open(folder)
    #expect(try collection.take(chunk) == .stored)
    #expect(try collection.take(chunk) == .known)
    let other = try TravellingChunk(checking: Forged.otherPayload(of: chunk))
    #expect(other.identity.numbers == chunk.identity.numbers)
    #expect(try collection.take(other) == .conflict)
    #expect(try collection.take(other) == .conflict)
    #expect(collection.conflicts == 1 && collection.chunkCount == 1)
    let evidence = "store/conflicts/\(other.identity.text).lifetrace"
    #expect(try folder.read(evidence) == other.bytes)
  }

  @Test func oneCollectorAFolder() throws {
    let folder = try TestFolder()
    let first = try open(folder)
    #expect(throws: TraceFileError.self) { try open(folder) }
    #expect(first.writerCount == 0)
  }

  /// A child that is forked has the file open as well, until it runs its program.
  @Test func whoHasEndedHoldsNobodyUp() throws {
    let folder = try TestFolder()
    let chunk = try #require(try WorldTests.chunks(seed: 6, in: folder).first)
    var first: Collection? = try open(folder)
    #expect(try first?.take(chunk) == .stored)
    var (there, opened) = (stat(), stat())
    #expect(stat(folder.file("store/2026-11-23T10.lifetrace"), &there) == 0)
    let copies = (0..<1_024 as Range<Int32>).filter {
      fstat($0, &opened) == 0 && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev
    }.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1 && first != nil)
    first = nil
    #expect(try open(folder).writerCount == 1)
  }

  /// Every byte of a chunk counts: whichever is another one, or missing, the chunk is refused.
  @Test func noDamagedChunkIsTaken() throws {
    let chunk = try #require(try WorldTests.chunks(seed: 5, in: TestFolder()).first)
    for index in chunk.bytes.indices {
      var bytes = chunk.bytes
      bytes[index] ^= 0x10
      #expect(throws: ChunkDamage.self, "byte \(index)") { try TravellingChunk(checking: bytes) }
    }
    for count in 0..<chunk.bytes.count {
      #expect(throws: ChunkDamage.self, "\(count) bytes") {
        try TravellingChunk(checking: Array(chunk.bytes[..<count]))
      }
    }
    #expect(throws: ChunkDamage.self) { try TravellingChunk(checking: chunk.bytes + [0]) }
  }
}

/// Chunks that nobody recorded.
enum Forged {
  /// The chunk with another payload, and checksums that fit.
  static func otherPayload(of chunk: TravellingChunk) -> [UInt8] {
    var bytes = chunk.bytes
    let header = Int(word(bytes, 4)) + 8
    bytes[bytes.count - 1] ^= 1
    put(crc(bytes[header...]), into: &bytes, at: 28)
    put(crc(bytes[..<(header - 4)]), into: &bytes, at: header - 4)
    return bytes
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func put(_ word: UInt32, into bytes: inout [UInt8], at offset: Int) {
    for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte)) }
  }

  private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    Array(bytes).withUnsafeBufferPointer { cplatform_crc32c(0, $0.baseAddress, $0.count) }
  }
}
