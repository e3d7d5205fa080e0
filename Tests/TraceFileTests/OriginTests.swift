// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceTrace
@testable import LifetraceTraceFile

/// Which recording a stream is of is known however a file was made and is read.
@Suite struct OriginTests {
  private static let origin = RecordingOrigin(
    session: WideID(high: 1, low: 2),
    run: "nightly",
    machine: WideID(high: 3, low: 4),
    recorder: WideID(high: 5, low: 6)
  )

  private func origins(_ path: String) throws -> Set<RecordingOrigin> {
    Set(try TraceReader(path: path).streams.map(\.attributes.origin))
  }

  @Test(arguments: [true, false])
  func isReadWithAndWithoutIndex(_ end: Bool) throws {
    let folder = try TestFolder()
    _ = try Sample(folder: folder, end: end, origin: Self.origin)
    #expect(try origins(folder.file("sample")) == [Self.origin])
  }

  @Test func isKeptByCopies() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, origin: Self.origin)
    // The second chunk is gone, so that a stand-in takes its place.
    var damaged = sample.bytes
    damaged[sample.chunks[1].end - 9] ^= 4
    let path = try folder.write(damaged, to: "damaged")
    _ = try TraceCopy.make(folder.file("repaired"), from: [path])
    #expect(try origins(folder.file("repaired")) == [Self.origin])
    _ = try Sample(
      folder: folder,
      name: "other",
      writers: [WriterID(high: 9, low: 1), WriterID(high: 9, low: 2)]
    )
    _ = try TraceCopy.make(
      folder.file("merged"),
      from: [folder.file("other"), folder.file("sample")]
    )
    #expect(try origins(folder.file("merged")) == [Self.origin, RecordingOrigin()])
  }

  @Test func tagsOfALaterVersionStandInCopiesAndInTheirIndex() throws {
    let folder = try TestFolder()
    var source = RandomEvents(seed: 3)
    let events = source.next(4)
    var chunk = Sample.chunk(events, writer: Sample.writers[0], from: 0, names: source.names)
    chunk.header.attributes.unknownTags = [HeaderTag(30, [1, 2, 3])]
    chunk.header.unknownTags = [HeaderTag(50, [4])]
    let writer = try TraceWriter(path: folder.file("new"), options: .init(.create))
    try writer.append(chunk)
    try writer.finish(end: true)
    _ = try TraceCopy.make(folder.file("copy"), from: [folder.file("new")])
    let reader = try TraceReader(path: folder.file("copy"))
    let stream = try #require(reader.streams.first)
    #expect(stream.attributes.unknownTags == [HeaderTag(30, [1, 2, 3])])
    #expect(try reader.header(of: stream.chunks[0]).unknownTags == [HeaderTag(50, [4])])
  }

  /// An index of before has neither tags nor strings behind its chunks.
  @Test func anIndexOfBeforeIsRead() throws {
    let writers = [(id: Sample.writers[0], attributes: WriterAttributes(app: "a"))]
    let footer = Footer(
      hasEnd: true,
      coveredBytes: 1_000,
      writers: writers,
      chunks: [],
      strings: .partial
    )
    let now = footer.encode(at: 1_000)
    // Without a byte for each, and with the lengths and the checksum of that.
    let end = now.count - TraceFormat.footerTailBytes
    var old = Array(now[..<(end - 2)])
    old[4] -= 2
    var tail = ByteWriter()
    tail.bytes = old
    tail.word(UInt32(now.count - 2))
    tail.word(checksum(tail.bytes))
    tail.bytes += TraceFormat.footerEndMagic
    let read = try Footer(tail.bytes, at: 1_000)
    #expect(read.writers.count == 1)
    #expect(try Footer(now, at: 1_000).writers.count == 1)
  }
}
