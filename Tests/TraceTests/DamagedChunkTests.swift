// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

/// Bytes that no checksum vouches for: each number is compared with what it may be.
@Suite struct DamagedChunkTests {
  private static let times: [Int64] = [100, 200, 5_000_000_000_000, 5_000_000_000_400]
  private let chunk: EncodedChunk

  /// Four marks of two threads, with a time difference between them that needs 64 bits.
  init() {
    var encoder = ChunkEncoder()
    for (index, time) in Self.times.enumerated() {
      encoder.append(
        Event(
          .mark,
          at: HostTime(rawValue: time),
          thread: ThreadID(rawValue: UInt32(index % 2)),
          sequence: UInt64(index)
        )
      )
    }
    chunk = encoder.finish(
      header: ChunkHeader(
        writer: WriterID(high: 1, low: 2),
        attributes: WriterAttributes(app: "notes"),
        firstSequence: 0
      ),
      keyframe: [],
      names: Names()
    )
  }

  private func decode(_ header: ChunkHeader, _ bytes: [UInt8]) throws(ChunkDamage) -> [Event] {
    var names = Names()
    return try ChunkPayload(header: header, payload: bytes, names: &names).decode()
  }

  /// The part that is found wrong, or nil.
  private func wrong(_ header: ChunkHeader, _ bytes: [UInt8]) -> String? {
    do throws(ChunkDamage) {
      _ = try decode(header, bytes)
      return nil
    } catch {
      return error.part
    }
  }

  @Test func whatIsWholeIsRead() throws {
    let events = try decode(chunk.header, chunk.payload)
    #expect(events.map(\.time.rawValue) == Self.times)
    #expect(events.map(\.thread.rawValue) == [0, 1, 0, 1])
  }

  @Test(arguments: [(Int64(1), Int64(0)), (0, -1), (5_000_000_000_000, 0), (0, -5_000_000_000_000)])
  func aTimeOutsideOfTheHeaderIsDamage(later: Int64, sooner: Int64) {
    var header = chunk.header
    header.firstTime = header.firstTime.advanced(by: later)
    header.lastTime = header.lastTime.advanced(by: sooner)
    #expect(wrong(header, chunk.payload) == "time of a row")
  }

  /// Every byte, with every bit and as large as can be: what is read at all keeps to the header,
  /// and each comparison finds something.
  @Test func everyByteIsCompared() throws {
    var parts: Set<String> = []
    for index in chunk.payload.indices {
      for change in [UInt8](0..<8).map({ chunk.payload[index] ^ 1 << $0 }) + [0xff] {
        var bytes = chunk.payload
        bytes[index] = change
        do throws(ChunkDamage) {
          let events = try decode(chunk.header, bytes)
          let range = chunk.header.firstTime...chunk.header.lastTime
          #expect(events.count == Self.times.count)
          #expect(events.allSatisfy { range.contains($0.time) }, "byte \(index)")
        } catch {
          parts.insert(error.part)
        }
      }
    }
    for part in ["thread number", "time of a row", "wide differences", "kind of a row"] {
      #expect(parts.contains(part), "\(part): \(parts.sorted())")
    }
  }

  /// A difference that says "look among the wide ones", of which there is none.
  @Test func aWideDifferenceThatIsNotThereIsDamage() throws {
    var encoder = ChunkEncoder()
    for (index, time) in [Int64(0), 0xffff_fffe].enumerated() {
      encoder.append(Event(.mark, at: HostTime(rawValue: time), sequence: UInt64(index)))
    }
    let close = encoder.finish(header: chunk.header, keyframe: [], names: Names())
    #expect(try decode(close.header, close.payload).last?.time.rawValue == 0xffff_fffe)
    var bytes = close.payload
    #expect(bytes.last == 0xfe)
    bytes[bytes.count - 1] = 0xff
    #expect(wrong(close.header, bytes) == "wide differences")
  }

  /// Past the greatest time there is nothing, whatever the header allows.
  @Test func timesDoNotWrapAround() throws {
    var encoder = ChunkEncoder()
    for (index, time) in [Int64.max - 1, Int64.max].enumerated() {
      encoder.append(
        Event(.mark, at: HostTime(rawValue: time), sequence: UInt64(index))
      )
    }
    let last = encoder.finish(header: chunk.header, keyframe: [], names: Names())
    var bytes = last.payload
    // The lowest plane of the differences, of two rows, is the last column.
    #expect(bytes.last == 1)
    bytes[bytes.count - 1] = 9
    var header = last.header
    header.firstTime = HostTime(rawValue: .min + 1)
    #expect(try decode(last.header, last.payload).last?.time.rawValue == .max)
    #expect(wrong(header, bytes) == "time of a row")
  }
}
