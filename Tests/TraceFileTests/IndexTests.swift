// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// Indexes are read in one piece: none is larger than a limit, and a long trace has several.
@Suite struct IndexTests {
  @Test func aLongTraceHasSeveral() throws {
    let folder = try TestFolder()
    for chunks in [1, 9, 40] {
      let path = folder.file("run\(chunks)")
      var options = TraceWriter.Options(.create, compacts: false)
      options.indexBytesMax = 2_000
      var writer = try TraceWriter(path: path, options: options)
      var source = RandomEvents(seed: 6)
      var expected: [PlainEvent] = []
      for round in 0..<chunks {
        if round == 25 {
          // A recovery goes on with it.
          try TestFile.write(try TestFile.read(path), to: path + "-more")
          options.mode = .append
          writer = try TraceWriter(path: path + "-more", options: options)
        }
        let events = source.next(5)
        expected += events.map { PlainEvent($0, names: source.names) }
        try writer.append(
          Sample.chunk(
            events,
            writer: Sample.writers[0],
            from: UInt64(round * 5),
            names: source.names
          )
        )
        // What still runs has no end, whatever index stands in it.
        let reader = try TraceReader(path: writer.path)
        #expect(!reader.hasEnd)
        #expect(try readable(reader) == expected)
      }
      try writer.finish(end: true)
      let reader = try TraceReader(path: writer.path)
      #expect(reader.hasEnd && reader.problems.isEmpty)
      #expect(try readable(reader) == expected)
      let check = try writer.check()
      #expect(check.problem == nil && check.eventsMissing == 0)
      let bytes = try TestFile.read(writer.path)
      let footers = bytes.indices.filter { bytes[$0...].starts(with: "LTRFOOT\n".utf8) }
      #expect(footers.count == 1 || chunks > 1)
      #expect((footers.count > 3) == (chunks == 40))
    }
  }

  /// It says that it is large, its checksum is right, and it has room for nothing.
  @Test(arguments: [17 << 20, 4_000]) func oneThatIsLargerThanItsTablesIsNotRead(bytes: Int) throws
  {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder)
    let chunks = Array(sample.bytes[..<sample.chunks[3].end])
    func word<Word: FixedWidthInteger>(_ value: Word) -> [UInt8] {
      (0..<MemoryLayout<Word>.size).map { UInt8(truncatingIfNeeded: value >> (8 * Word($0))) }
    }
    var footer = word(UInt32(0x184d_2a5f)) + word(UInt32(bytes - 8)) + Array("LTRINDEX".utf8)
    footer += word(UInt16(1)) + word(UInt16(1)) + word(UInt64(0)) + [0, 0, 0]
    footer += [UInt8](repeating: 0, count: bytes - footer.count - 16) + word(UInt32(bytes))
    footer += word(cplatform_crc32c(0, footer, footer.count)) + Array("LTRFOOT\n".utf8)
    let reader = try TraceReader(path: try folder.write(chunks + footer, to: "large"))
    #expect(!reader.hasEnd)
    #expect(reader.problems.contains { $0.isDamage }, "\(reader.problems)")
    #expect(try readable(reader) == sample.chunks.flatMap(\.events))
  }
}
