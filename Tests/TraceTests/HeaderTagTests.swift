// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceTrace

/// What stands behind the fixed parts of a header.
@Suite struct HeaderTagTests {
  private static let origin = RecordingOrigin(
    session: WideID(high: 1, low: 2),
    run: "nightly 42",
    machine: WideID(high: 3, low: 4),
    recorder: WideID(high: 5, low: 6)
  )

  private func header(_ origin: RecordingOrigin) -> ChunkHeader {
    var attributes = WriterAttributes(app: "notes")
    attributes.origin = origin
    var header = ChunkHeader(
      writer: WriterID(high: 7, low: 8),
      attributes: attributes,
      firstSequence: 9
    )
    header.eventCount = 1
    return header
  }

  private func bytes(_ header: ChunkHeader) -> [UInt8] {
    var out = ByteWriter()
    header.encode(into: &out)
    return out.bytes
  }

  private func read(_ bytes: [UInt8]) throws(ChunkDamage) -> ChunkHeader {
    var input = ByteReader(bytes)
    return try ChunkHeader(from: &input)
  }

  @Test func theOriginComesBack() throws {
    let header = header(Self.origin)
    #expect(try read(bytes(header)) == header)
  }

  @Test func aHeaderOfBeforeHasNone() throws {
    let header = header(RecordingOrigin())
    let old = bytes(header)
    #expect(bytes(self.header(Self.origin)).starts(with: old))
    #expect(try read(old).attributes.origin == RecordingOrigin())
  }

  @Test func whatIsNotKnownIsKept() throws {
    var header = header(Self.origin)
    header.attributes.unknownTags = [HeaderTag(31, [1, 2])]
    header.unknownTags = [HeaderTag(63, []), HeaderTag(1 << 40, [3])]
    let read = try read(bytes(header))
    #expect(read == header)
    #expect(bytes(read) == bytes(header))
  }

  @Test func aLongRunIsCut() throws {
    let long = String(repeating: "ä", count: 300)
    let run = try read(bytes(header(RecordingOrigin(run: long)))).attributes.origin.run
    #expect(run.utf8.count <= RecordingOrigin.runBytesMax)
    #expect(run.hasSuffix("ä…"))
  }

  /// Cut anywhere, a header has fewer tags, or is damaged; it never traps.
  @Test func cutAtEveryByte() throws {
    let old = bytes(header(RecordingOrigin())).count
    let all = bytes(header(Self.origin))
    var whole: Set<Int> = []
    for end in old...all.count where (try? read(Array(all[..<end]))) != nil { whole.insert(end) }
    let starts = [old, old + 18, old + 30, old + 48, old + 66]
    #expect(whole == Set(starts))
  }

  @Test(arguments: [
    [1, 3, 1, 2, 3],  // a session of three bytes
    [2, 2, 0xff, 0xff],  // a run that is no text
    [40, 0, 40, 0],  // one twice
    [41, 0, 40, 0],  // out of order
    [40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],  // a length that is a lie
  ])
  func isRefused(_ tail: [UInt8]) {
    #expect(throws: ChunkDamage.self) { try read(bytes(header(RecordingOrigin())) + tail) }
  }

  @Test func areAtMostSixtyFour() throws {
    let old = bytes(header(RecordingOrigin()))
    func tail(_ count: UInt8) -> [UInt8] { (0..<count).flatMap { [32 + $0, 0] } }
    #expect(try read(old + tail(64)).unknownTags.count == 64)
    #expect(throws: ChunkDamage.self) { try read(old + tail(65)) }
  }

  @Test func idsAreThirtyTwoDigits() {
    #expect(WideID("000000000000000a000000000000000B") == WideID(high: 10, low: 11))
    for wrong in [
      "", "0", String(repeating: "g", count: 32), "+" + String(repeating: "0", count: 31),
    ] {
      #expect(WideID(wrong) == nil)
    }
  }
}
