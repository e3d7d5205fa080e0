// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile
import Testing

/// Where the keyframes of a stream's chunks are.
@Suite struct SealerTests {
  private var sealer = Sealer()
  private var encoder = ChunkEncoder()
  private var sequence: UInt64 = 0

  /// Seals a chunk of marks far enough apart that each of them takes bytes.
  private mutating func seal(
    keyframe bytes: Int,
    rows: Int = 10,
    keepsLast: Bool = false
  ) -> EncodedChunk {
    let first = sequence
    for _ in 0..<rows {
      let time = HostTime(rawValue: Int64(sequence) * 1_000_003)
      encoder.append(Event(.mark, at: time, sequence: sequence))
      sequence += 1
    }
    let header = ChunkHeader(
      writer: WriterID(high: 1, low: 2),
      attributes: WriterAttributes(app: "notes"),
      firstSequence: first,
      keepsLast: keepsLast
    )
    return sealer.seal(
      &encoder,
      header,
      keyframe: [UInt8](repeating: 7, count: bytes),
      orUnknown: { [9] },
      names: Names()
    )
  }

  private func keyframe(of chunk: EncodedChunk) throws -> [UInt8] {
    var names = Names()
    return try ChunkPayload(header: chunk.header, payload: chunk.payload, names: &names).keyframe
  }

  @Test mutating func theFirstChunkHasItsKeyframeAndALargeOneIsLeftOutAfterThat() throws {
    let first = seal(keyframe: 5_000)
    #expect(first.header.keyframe == .full)
    #expect(try keyframe(of: first).count == 5_000)
    let second = seal(keyframe: 5_000)
    #expect(second.header.keyframe == .continued(from: 0))
    #expect(try keyframe(of: second).isEmpty)
  }

  @Test mutating func aChunkContinuesFromOneAtMostEightBack() {
    let places = (0..<20).map { _ in seal(keyframe: 5_000).header.keyframe }
    for (index, place) in places.enumerated() {
      let origin = UInt64(index / (Sealer.continuedMax + 1) * (Sealer.continuedMax + 1) * 10)
      #expect(place == (origin == UInt64(index * 10) ? .full : .continued(from: origin)))
    }
  }

  /// The payload without the keyframe is what counts: a tenth of it, and not a byte more.
  @Test mutating func aKeyframeUnderATenthOfThePayloadIsAlwaysThere() throws {
    _ = seal(keyframe: 5_000)
    let rows = 4_000
    let without = seal(keyframe: 50_000, rows: rows)
    #expect(without.header.keyframe == .continued(from: 0))
    let (most, least) = (without.payload.count / 10 + 20, without.payload.count / 10 - 20)
    #expect(seal(keyframe: most, rows: rows).header.keyframe == .continued(from: 0))
    let small = seal(keyframe: least, rows: rows)
    #expect(small.header.keyframe == .full)
    #expect(seal(keyframe: 5_000).header.keyframe == .continued(from: small.header.firstSequence))
  }

  @Test mutating func whereAnyChunkMayBecomeTheFirstOneAllHaveTheirKeyframes() {
    for _ in 0..<3 { #expect(seal(keyframe: 5_000, keepsLast: true).header.keyframe == .full) }
  }

  /// What has no room in a chunk is folded from farther back; where there is nothing, nothing is known.
  @Test mutating func aKeyframeThatIsTooLargeIsReplacedOnlyWhereNothingCanBeContinued() throws {
    let tooLarge = Chunk.keyframeBytesMax + 1
    let first = seal(keyframe: tooLarge)
    #expect(first.header.keyframe == .full)
    #expect(try keyframe(of: first) == [9])
    for _ in 0..<12 { #expect(seal(keyframe: tooLarge).header.keyframe == .continued(from: 0)) }
    #expect(try keyframe(of: seal(keyframe: 5_000)).count == 5_000)
    #expect(try keyframe(of: seal(keyframe: tooLarge, keepsLast: true)) == [9])
  }
}
