// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Chunks that take little room in a file and much in memory: their strings are long, all
/// different, and compress to nothing.
///
///     var bomb = StringBomb(used: 2_000, spare: 2_000)
///     for _ in 0..<80 { try writer.append(bomb.next()) }          // 5 GB of strings, 2 MB of file
///
/// The strings are told apart by 16 digits at their beginning.
public struct StringBomb {
  private var chunk: EncodedChunk
  /// Where each long string begins in the payload.
  private var places: [Int] = []
  private var number = 0
  /// How long each string is.
  public let bytesEach: Int

  /// Each chunk has an event for each of `used` strings, and `spare` strings that nothing uses.
  public init(used: Int, spare: Int, bytesEach: Int = 16_000) {
    self.bytesEach = bytesEach
    var names = Names()
    var encoder = ChunkEncoder()
    for index in 0..<used {
      let name = names.intern(Self.text(index, bytesEach))
      encoder.append(
        Event(
          .dataDirty,
          at: HostTime(rawValue: Int64(index)),
          identity: UInt64(name.rawValue),
          arguments: (1, 0, 0, 0),
          argumentCount: 1,
          sequence: UInt64(index)
        )
      )
    }
    chunk = encoder.finish(
      header: ChunkHeader(
        writer: WriterID(high: 7, low: 9),
        attributes: WriterAttributes(app: "bomb"),
        firstSequence: 0
      ),
      keyframe: [],
      names: names
    )
    let more = [[UInt8]](repeating: Array(Self.text(0, bytesEach).utf8), count: spare)
    chunk.payload = StringTable.adding(more, to: chunk.payload)
    chunk.cuts = []
    let table = StringTable(of: chunk.payload)
    places = table.places.indices.filter { table.lengths[$0] == bytesEach }
      .map { table.places[$0] }
  }

  /// The next chunk of the stream, with strings that no chunk before it had.
  public mutating func next() -> EncodedChunk {
    for place in places {
      var rest = number
      for digit in 0..<16 {
        chunk.payload[place + 15 - digit] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      number += 1
    }
    defer { chunk.header.firstSequence += UInt64(chunk.header.eventCount) }
    return chunk
  }

  private static func text(_ number: Int, _ bytes: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 16 - digits.count) + digits
      + String(repeating: "A", count: bytes - 16)
  }
}

/// The strings at the head of a chunk's payload.
public struct StringTable {
  /// How long each is.
  public private(set) var lengths: [Int] = []
  /// Where each begins.
  public private(set) var places: [Int] = []
  /// Behind the last.
  public private(set) var end = 0

  /// Reads the table of a payload that is whole; empty where it is not.
  public init(of payload: [UInt8]) {
    var input = ByteReader(payload)
    guard let count = try? input.count("strings", max: payload.count) else { return }
    var lengths: [Int] = []
    for _ in 0..<count {
      guard let length = try? input.count("bytes", max: payload.count) else { return }
      lengths.append(length)
    }
    guard lengths.reduce(0, +) <= input.remaining else { return }
    end = input.position
    for length in lengths {
      places.append(end)
      end += length
    }
    self.lengths = lengths
  }

  /// The payload with strings behind its own, to which nothing refers.
  public static func adding(_ strings: [[UInt8]], to payload: [UInt8]) -> [UInt8] {
    let table = StringTable(of: payload)
    guard let start = table.places.first else { return payload }
    var out = ByteWriter()
    out.varint(table.lengths.count + strings.count)
    for length in table.lengths + strings.map(\.count) { out.varint(length) }
    out.bytes += payload[start..<table.end]
    for string in strings { out.bytes += string }
    out.bytes += payload[table.end...]
    return out.bytes
  }
}
