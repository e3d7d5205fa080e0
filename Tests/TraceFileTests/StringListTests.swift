// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// An index lists the strings of its chunks: all of them, or it says that it does not.
@Suite struct StringListTests {
  private static let writer = WriterID(high: 1, low: 9)

  /// Chunks of random events of one writer, numbered from `from`.
  private func chunks(_ sizes: [Int], seed: UInt64, from: Int = 0) -> [EncodedChunk] {
    var source = RandomEvents(seed: seed)
    var sequence = from
    return sizes.map { size in
      var encoder = ChunkEncoder()
      for event in source.next(size) { encoder.append(event) }
      defer { sequence += size }
      return encoder.finish(
        header: ChunkHeader(
          writer: Self.writer,
          attributes: WriterAttributes(app: "notes"),
          firstSequence: UInt64(sequence)
        ),
        keyframe: [],
        names: source.names
      )
    }
  }

  private func write(_ chunks: [EncodedChunk], to path: String) throws {
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    for chunk in chunks { try writer.append(chunk) }
    try writer.finish(end: true)
  }

  /// What the index lists; it has all that the chunks have, else the test fails.
  private func listed(_ path: String) throws -> [String]? {
    let reader = try TraceReader(path: path)
    let strings = reader.strings
    try reader.verify()
    guard let strings else { return nil }
    #expect(Set(reader.names.strings.dropFirst()).isSubset(of: strings))
    #expect(!reader.problems.contains { $0.isDamage }, "\(reader.problems)")
    return strings
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func allAreListed(seed: UInt64) throws {
    let folder = try TestFolder()
    let path = folder.file("run")
    try write(chunks([40, 3, 200], seed: seed), to: path)
    let reader = try TraceReader(path: path)
    let strings = try #require(try listed(path))
    for chunk in reader.streams[0].chunks { _ = try reader.decode(chunk) }
    #expect(Set(strings) == Set(reader.names.strings.dropFirst()), "seed \(seed)")
  }

  @Test func copiesAreListedToo() throws {
    let folder = try TestFolder()
    let first = chunks([30, 30], seed: 1)
    let more = chunks([30], seed: 2, from: 60)
    let (one, two) = (folder.file("one"), folder.file("two"))
    try write(first, to: one)
    try write(more, to: two)
    _ = try TraceCopy.make(folder.file("merged"), from: [one, two])
    let union = Set(try #require(try listed(one))).union(try #require(try listed(two)))
    #expect(Set(try #require(try listed(folder.file("merged")))) == union)
    try folder.write(try folder.read("one") + (try folder.read("two")), to: "cat")
    #expect(Set(try #require(try listed(folder.file("cat")))) == union)

    // A recording that was cut has no index; what goes on with it lists its chunks as well.
    let path = folder.file("resumed")
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    for chunk in first { try writer.append(chunk) }
    try folder.write(try folder.read("resumed"), to: "cut")
    #expect(try listed(folder.file("cut")) == nil)
    let resumed = try TraceWriter(path: folder.file("cut"), options: .append)
    for chunk in more { try resumed.append(chunk) }
    try resumed.finish(end: true)
    #expect(Set(try #require(try listed(folder.file("cut")))) == union)
    // Beside chunks that no index covers, no list is whole.
    try write(more, to: folder.file("open"))
    let open = try TraceReader(path: folder.file("open")).streams[0].chunks[0].endOffset
    try folder.write(
      try folder.read("one") + (try folder.read("open")).prefix(Int(open)),
      to: "uncovered"
    )
    #expect(try listed(folder.file("uncovered")) == nil)
  }

  @Test func keyframesCountAndUnknownOnesLeaveItOpen() throws {
    let folder = try TestFolder()
    for (version, name) in [
      (Chunk.keyframeVersion, "of before"), (Chunk.lockKeyframeVersion, "of before"),
      (Chunk.keyframeVersion + 1, ""), (Chunk.lockKeyframeVersion + 1, ""),
    ] {
      var encoder = ChunkEncoder()
      encoder.append(Event(.mark, at: HostTime(rawValue: 5)))
      let text = Array("of before".utf8)
      let chunk = encoder.finish(
        header: ChunkHeader(
          writer: Self.writer,
          attributes: WriterAttributes(app: "notes"),
          firstSequence: 0
        ),
        keyframe: [version, 1, UInt8(text.count)] + text,
        names: Names()
      )
      let path = folder.file("keyframe \(version)")
      try write([chunk], to: path)
      #expect(try listed(path)?.contains(name) == (name.isEmpty ? nil : true))
    }
  }

  @Test func tooManyAreNotListed() throws {
    let folder = try TestFolder()
    for (count, length, isListed) in [(2_000, 20, true), (40_000, 4, false), (200, 9_000, false)] {
      var names = Names()
      var encoded: [EncodedChunk] = []
      for first in stride(from: 0, to: count, by: 10_000) {
        var encoder = ChunkEncoder()
        for index in first..<min(count, first + 10_000) {
          let text = String(repeating: "x", count: length) + "\(index)"
          encoder.append(
            Event(
              .dataDirty,
              at: HostTime(rawValue: Int64(index)),
              identity: UInt64(names.intern(text).rawValue)
            )
          )
        }
        encoded.append(
          encoder.finish(
            header: ChunkHeader(
              writer: Self.writer,
              attributes: WriterAttributes(app: "notes"),
              firstSequence: UInt64(first)
            ),
            keyframe: [],
            names: names
          )
        )
      }
      let path = folder.file("\(count)")
      try write(encoded, to: path)
      #expect((try listed(path) != nil) == isListed)
    }
  }

  @Test("Files of before say nothing of strings", arguments: ["two-writers", "two-strides"])
  func oldFilesSayNothing(name: String) throws {
    let reader = try TraceReader(path: "\(Golden.root)/Traces/vectors/\(name).lifetrace")
    #expect(reader.hasEnd && reader.strings == nil)
    try reader.verify()
    #expect(reader.problems.isEmpty)
  }

  /// Each byte of the list made another one, with a checksum that is right.
  @Test func aWrongListIsNamedAndNotUsed() throws {
    let folder = try TestFolder()
    let path = folder.file("run")
    try write(chunks([40], seed: 3), to: path)
    let whole = try folder.read("run")
    let events = try readable(try TraceReader(path: path))
    let footer = try #require(whole.indices.last { whole[$0...].starts(with: "LTRINDEX".utf8) }) - 8
    var named = 0
    // Behind what it says of its one chunk, and before its own tail.
    for place in (footer + 150)..<(whole.count - 16) {
      for bit in [0, 6] as [UInt8] {
        var bytes = whole
        bytes[place] ^= 1 << bit
        let end = bytes.count - 12
        let sum = cplatform_crc32c(0, Array(bytes[footer..<end]), end - footer)
        for byte in 0..<4 { bytes[end + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        let reader = try TraceReader(path: try folder.write(bytes, to: "wrong"))
        let strings = reader.strings
        #expect(try readable(reader) == events)
        try reader.verify()
        let isNamed = reader.problems.contains { $0.kind == .index }
        if isNamed { named += 1 }
        let isWhole =
          strings.map { Set(reader.names.strings.dropFirst()).isSubset(of: $0) } ?? true
        #expect(isWhole || isNamed, "byte \(place), bit \(bit)")
        if isNamed { #expect(reader.strings == nil, "byte \(place), bit \(bit)") }
      }
    }
    #expect(named > 20)
  }
}
