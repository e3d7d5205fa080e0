// SPDX-License-Identifier: Apache-2.0
import Support
import Testing
import LifetraceTrace

@Suite("A chunk brings back what went in")
struct ChunkRoundTripTests {
  static let writer = WriterID(high: 1, low: 2)

  @Test(
    "random events of every kind",
    arguments: [(1, 1), (2, 2), (3, 100), (4, 4_096), (5, 4_097), (6, 9_000), (7, 16_384)]
  )
  func random(seed: UInt64, count: Int) throws {
    var source = RandomEvents(seed: seed)
    let events = source.next(count)
    var encoder = ChunkEncoder()
    for event in events { encoder.append(event) }
    let header = ChunkHeader(
      writer: Self.writer,
      attributes: WriterAttributes(app: "notes"),
      firstSequence: 0
    )
    let chunk = encoder.finish(header: header, keyframe: [1, 2, 3], names: source.names)
    #expect(encoder.count == 0)
    var names = Names()
    let payload = try ChunkPayload(header: chunk.header, payload: chunk.payload, names: &names)
    #expect(payload.keyframe == [1, 2, 3])
    let decoded = try payload.decode()
    #expect(decoded.count == count)
    for (before, after) in zip(events, decoded) {
      let expected = PlainEvent(before, names: source.names)
      let found = PlainEvent(after, names: names)
      #expect(found == expected, "seed \(seed), event \(before.sequence)")
      if found != expected { return }
    }
  }

  @Test("strides decode alone and give the same events")
  func strides() throws {
    var source = RandomEvents(seed: 8)
    var encoder = ChunkEncoder()
    for event in source.next(10_000) { encoder.append(event) }
    let header = ChunkHeader(
      writer: Self.writer,
      attributes: WriterAttributes(app: "notes"),
      firstSequence: 77
    )
    let chunk = encoder.finish(header: header, keyframe: [], names: source.names)
    var names = Names()
    let payload = try ChunkPayload(header: chunk.header, payload: chunk.payload, names: &names)
    let all = try payload.decode().map { PlainEvent($0, names: names) }
    #expect(all.first?.numbers[0] == 77)
    for stride in (0..<payload.strideCount).reversed() {
      let part = try payload.decode(strides: stride..<(stride + 1))
      let first = stride * Chunk.strideRows
      #expect(part.map { PlainEvent($0, names: names) } == Array(all[first..<first + part.count]))
    }
  }

  @Test("the header comes back, and its filter knows the names")
  func header() throws {
    var source = RandomEvents(seed: 9)
    var attributes = WriterAttributes(app: "com.example.Notes", process: "notes", role: .extension)
    attributes.previous = WriterID(high: 3, low: 4)
    attributes.started = HostTime(rawValue: -5)
    attributes.profile = "ios13"
    var encoder = ChunkEncoder()
    for event in source.next(500) { encoder.append(event) }
    let chunk = encoder.finish(
      header: ChunkHeader(
        writer: Self.writer,
        attributes: attributes,
        firstSequence: 1_000,
        losses: [LossCount(family: .work, count: 17)],
        clocks: [ClockBracket(tick: 1, monotonic: 2, boottime: 3, real: 4)],
        consumed: [ConsumedPosition(serial: 9, records: 100)],
        keyframe: .continued(from: 12)
      ),
      keyframe: [],
      names: source.names
    )
    var out = ByteWriter()
    chunk.header.encode(into: &out)
    var input = ByteReader(out.bytes)
    #expect(try ChunkHeader(from: &input) == chunk.header)
    #expect(input.remaining == 0)
    var names = Names()
    let payload = try ChunkPayload(header: chunk.header, payload: chunk.payload, names: &names)
    for site in try payload.decode().map(\.site) where site != .none {
      #expect(chunk.header.nameFilter.mayContain(names[names[site].name]))
    }
    #expect(!chunk.header.nameFilter.mayContain("never seen"))
  }
}
