// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceTrace
@testable import LifetraceTraceFile

/// What the table of messages takes of a file.
@Suite struct TableBytesTests {
  @Test("At most 3 % of the bytes of a day of app life")
  func dayOfAppLife() throws {
    let folder = try TestFolder()
    let writer = try TraceWriter(path: folder.file("day"), options: .init(.create))
    var day = DayOfAppLife(seed: 1)
    var encoders: [Int: ChunkEncoder] = [:]
    var sequences: [Int: UInt64] = [:]
    var full: [(writer: Int, events: [Event])] = []
    for _ in 0..<3 {
      day.session { number, event in
        encoders[number, default: ChunkEncoder()].append(event)
        if encoders[number]?.isFull ?? false {
          full.append((number, Array(encoders[number]?.events(from: 0) ?? [])))
          encoders[number] = nil
        }
      }
    }
    for (number, encoder) in encoders.sorted(by: { $0.key < $1.key }) where encoder.count > 0 {
      full.append((number, Array(encoder.events(from: 0))))
    }
    var tableBytes = 0
    var messages = 0
    for (number, events) in full {
      var encoder = ChunkEncoder()
      for event in events { encoder.append(event) }
      let (id, attributes) = day.writers[number]
      let first = sequences[number, default: 0]
      sequences[number] = first + UInt64(events.count)
      let header = ChunkHeader(writer: id, attributes: attributes, firstSequence: first)
      let chunk = encoder.finish(header: header, keyframe: [], names: day.names)
      var table = ByteWriter()
      chunk.header.messages?.encode(from: chunk.header.firstTime, into: &table)
      tableBytes += table.count
      messages += chunk.header.messages?.count ?? 0
      try writer.append(chunk)
    }
    try writer.finish(end: true)
    #expect(messages > 100)
    #expect(
      UInt64(tableBytes) * 100 <= writer.bytes * 3,
      "\(tableBytes) of \(writer.bytes) bytes for \(messages) messages"
    )
  }
}
