// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import CLifetraceZstd
import Glibc
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

@Suite("Writing, appending, concatenating")
struct WriterTests {
  @Test("what was written is read, with the index and without")
  func roundTrip() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, sizes: [100, 200, 300, 5_000])
    let reader = try TraceReader(path: folder.file("sample"))
    #expect(try readable(reader) == sample.chunks.flatMap(\.events))
    #expect(reader.problems.isEmpty)
    #expect(reader.hasEnd)
    #expect(reader.streams.map(\.writer) == Sample.writers)
    #expect(reader.streams.map(\.eventCount) == [400, 5_200])
    let last = try #require(sample.chunks.last)
    let bare = try folder.write(Array(sample.bytes[..<last.end]), to: "bare")
    let scanned = try TraceReader(path: bare)
    #expect(scanned.streams.map(\.chunks) == reader.streams.map(\.chunks))
    #expect(!scanned.hasEnd)
    for chunk in reader.streams.flatMap(\.chunks) {
      #expect(try reader.decode(chunk).keyframe == [7, 7])
      #expect(try reader.header(of: chunk).attributes.app.hasPrefix("app"))
    }
  }

  @Test("a zstd decoder that knows nothing of us reads it")
  func zstd() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, sizes: [100, 200, 300, 5_000])
    let context = try #require(ZSTD_createDStream())
    defer { ZSTD_freeDStream(context) }
    var output = [UInt8](repeating: 0, count: 1 << 20)
    var total = 0
    var hint = 0
    sample.bytes.withUnsafeBytes { source in
      var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
      while input.pos < input.size {
        output.withUnsafeMutableBytes { buffer in
          var room = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
          hint = ZSTD_decompressStream(context, &room, &input)
          total += room.pos
        }
        guard ZSTD_isError(hint) == 0 else { return }
      }
    }
    #expect(ZSTD_isError(hint) == 0)
    #expect(hint == 0, "the last frame is whole")
    #expect(total > 5_000)
    if Needs.isTried(access("/usr/bin/zstd", X_OK) == 0) {
      #expect(system("/usr/bin/zstd -dc < \(folder.file("sample")) > /dev/null") == 0)
    }
  }

  @Test("cat a b is a trace of both; the same twice is the same once")
  func cat() throws {
    let folder = try TestFolder()
    let one = try Sample(folder: folder, name: "one")
    let others = [WriterID(high: 5, low: 6), WriterID(high: 7, low: 8)]
    let two = try Sample(folder: folder, name: "two", seed: 5, writers: others)
    var reader = try TraceReader(path: try folder.write(one.bytes + two.bytes, to: "both"))
    #expect(try readable(reader) == (one.chunks + two.chunks).flatMap(\.events))
    #expect(reader.problems.isEmpty)
    #expect(reader.hasEnd)
    #expect(reader.streams.count == 4)
    reader = try TraceReader(path: try folder.write(one.bytes + one.bytes, to: "twice"))
    #expect(try readable(reader) == one.chunks.flatMap(\.events))
    #expect(reader.duplicates == 4)
    #expect(reader.problems.isEmpty)
    // A torn one in front: both are read, and the seam is told.
    let torn = Array(one.bytes[..<(one.chunks[2].end + 9)])
    reader = try TraceReader(path: try folder.write(torn + two.bytes, to: "seam"))
    #expect(try readable(reader) == (one.chunks[..<3] + two.chunks).flatMap(\.events))
    #expect(reader.problems.contains { $0.kind == .tornTail || $0.kind == .damage })
    #expect(!reader.hasEnd)
    // The same identity with other bytes is damage.
    let other = try Sample(folder: folder, name: "other", seed: 9)
    reader = try TraceReader(path: try folder.write(one.bytes + other.bytes, to: "conflict"))
    #expect(reader.problems.contains { $0.kind == .conflict })
    #expect(try readable(reader) == one.chunks.flatMap(\.events))
  }

  @Test("chunks in any order are the same trace")
  func anyOrder() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, sizes: [3, 2, 4, 1, 6, 7])
    var pieces: [[UInt8]] = []
    var start = 0
    for chunk in sample.chunks {
      pieces.append(Array(sample.bytes[start..<chunk.end]))
      start = chunk.end
    }
    let path = try folder.write(pieces.reversed().flatMap { $0 }, to: "reversed")
    let reader = try TraceReader(path: path)
    #expect(reader.problems.allSatisfy { $0.kind == .noEnd })
    #expect(reader.streams.map(\.eventCount).sorted() == [10, 13])
    // Without a middle chunk its events are missing, and where.
    let gap = try TraceReader(path: try folder.write(pieces[0] + pieces[4], to: "gap"))
    #expect(gap.streams[0].chunks[1].missingBefore == 4)
    #expect(gap.problems.contains { $0.kind == .gap })
  }

  @Test("appending goes on behind the last whole chunk")
  func append() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, end: false)
    for length in [sample.bytes.count, sample.chunks[3].end, sample.chunks[2].end + 40] {
      let path = try folder.write(Array(sample.bytes[..<length]), to: "more")
      let writer = try TraceWriter(path: path, options: .init(.append, compacts: false))
      #expect((writer.bytesCutOff > 0) == (length == sample.chunks[2].end + 40))
      var source = RandomEvents(seed: 3)
      let more = source.next(10)
      let id = WriterID(high: 9, low: 9)
      try writer.append(Sample.chunk(more, writer: id, from: 0, names: source.names))
      let others = try #require(throws: TraceFileError.self) {
        _ = try TraceWriter(path: path, options: .append)
      }
      #expect(others.reason == .locked)
      try writer.finish(end: true)
      let reader = try TraceReader(path: path)
      let before = sample.chunks.filter { $0.end <= length }.flatMap(\.events)
      let found = try readable(reader)
      let expected = before + more.map { PlainEvent($0, names: source.names) }
      #expect(found == expected)
      #expect(!reader.problems.contains { $0.isDamage })
    }
    let error = try #require(throws: TraceFileError.self) {
      _ = try TraceWriter(path: folder.file("more"), options: .create)
    }
    #expect(error.reason == .exists)
  }

  @Test("a follower sees chunks as they come, and a finished file once more")
  func follow() throws {
    let folder = try TestFolder()
    let path = folder.file("live")
    let writer = try TraceWriter(path: path, options: .create)
    let reader = try TraceReader(path: path)
    #expect(reader.streams.isEmpty)
    var source = RandomEvents(seed: 4)
    var expected: [PlainEvent] = []
    for round in 0..<6 {
      let events = source.next(10)
      expected += events.map { PlainEvent($0, names: source.names) }
      let chunk = Sample.chunk(
        events,
        writer: Sample.writers[0],
        from: UInt64(round * 10),
        names: source.names
      )
      try writer.append(chunk)
      try reader.refresh()
      #expect(try readable(reader) == expected)
      #expect(!reader.hasEnd)
    }
    try writer.finish(end: true)
    try reader.refresh()
    #expect(try readable(reader) == expected)
    #expect(reader.hasEnd)
    #expect(reader.streams[0].chunks.count == 1, "small chunks were merged at the end")
    #expect(folder.names == ["live"])
  }

  @Test("a follower that sees half a chunk waits for the rest, wherever the half ends")
  func followHalves() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder)
    let path = folder.file("growing")
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let reader = try TraceReader(path: path)
    for length in 1...sample.bytes.count {
      try #require(pwrite(descriptor, [sample.bytes[length - 1]], 1, off_t(length - 1)) == 1)
      try reader.refresh()
      let whole = sample.chunks.filter { $0.end <= length }.flatMap(\.events)
      #expect(try readable(reader) == whole, "after \(length) bytes")
      #expect(reader.isBeingWritten)
      #expect(!reader.problems.contains { $0.isDamage }, "\(length): \(reader.problems)")
      #expect(reader.census.lost.isNone, "\(length)")
      #expect(reader.hasEnd == (length == sample.bytes.count))
    }
    // Without a writer the same half is what a cut has left.
    let cut = sample.chunks[sample.chunks.count - 1].end - 1
    try #require(ftruncate(descriptor, off_t(cut)) == 0)
    // Another test may have forked meanwhile: closing this one would not give up the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    try reader.refresh()
    #expect(!reader.isBeingWritten)
    #expect(reader.problems.map(\.kind) == [.tornTail, .noEnd])
    #expect(reader.census.lost == EventsLost(isAtLeast: true))
  }

  @Test("merging small chunks keeps every event, keyframe place, loss and position")
  func compaction() throws {
    let folder = try TestFolder()
    let path = folder.file("small")
    let writer = try TraceWriter(path: path, options: .create)
    var source = RandomEvents(seed: 6)
    var expected: [PlainEvent] = []
    for round in 0..<12 {
      let events = source.next(10)
      expected += events.map { PlainEvent($0, names: source.names) }
      var chunk = Sample.chunk(
        events,
        writer: Sample.writers[0],
        from: UInt64(round * 10),
        names: source.names
      )
      if round % 3 != 0 { chunk.header.keyframe = .continued(from: UInt64(round / 3 * 30)) }
      if round == 7 { chunk.header.losses = [LossCount(family: .data, count: 3)] }
      chunk.header.consumed = [ConsumedPosition(serial: 1, records: UInt32(round * 10 + 10))]
      try writer.append(chunk)
    }
    #expect(chmod(path, 0o600) == 0)
    let others = try folder.write([1], to: "small.compact")
    try writer.finish(end: true)
    var facts = stat()
    #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    #expect(stat(others, &facts) == 0 && facts.st_size == 1, "a file of somebody else")
    let reader = try TraceReader(path: path)
    #expect(try readable(reader) == expected)
    let chunks = reader.streams[0].chunks
    #expect(chunks.map(\.firstSequence) == [0, 70])
    #expect(chunks[1].keyframe == .continued(from: 0))
    #expect(chunks[1].losses == [LossCount(family: .data, count: 3)])
    #expect(try reader.header(of: chunks[1]).consumed == [.init(serial: 1, records: 120)])
    #expect(writer.bytes == reader.fileBytes)
  }

  @Test("a compaction leaves alone what stands in the place of its file", arguments: [true, false])
  func compactionOfWhatWasMoved(isMoved: Bool) throws {
    let folder = try TestFolder()
    let path = folder.file("run")
    let writer = try TraceWriter(path: path, options: .create)
    // Of another recorder, which goes on with it.
    let other = try TraceWriter(path: folder.file("other"), options: .create)
    var source = RandomEvents(seed: 6)
    for round in 0..<8 {
      let chunk = Sample.chunk(
        source.next(10),
        writer: Sample.writers[0],
        from: UInt64(round * 10),
        names: source.names
      )
      try writer.append(chunk)
      try other.append(chunk)
    }
    if isMoved { #expect(rename(path, folder.file("moved")) == 0) }
    #expect(rename(folder.file("other"), path) == 0)
    let bytes = try folder.read("run")
    try writer.finish(end: true)
    #expect(try folder.read("run") == bytes)
    #expect(folder.names == (isMoved ? ["moved", "run"] : ["run"]))
    #expect(try writer.check().problem == "another file stands there")
    try other.save(to: folder.file("saved"))
    try other.finish(end: true)
    #expect(try TraceReader(path: folder.file("saved")).problems.isEmpty)
  }

  @Test("the check of a finished trace reads all headers, and payloads as far back as it is told")
  func check() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, sizes: [50, 60, 70, 80], end: false)
    let chunks = Array(sample.bytes[..<sample.chunks[3].end])
    let begins = [0] + sample.chunks.map(\.end)
    for chunk in 0..<4 {
      for isHeader in [true, false] {
        unlink(folder.file("run"))
        let path = try folder.write(chunks, to: "run")
        let writer = try TraceWriter(path: path, options: .init(.append, compacts: false))
        try writer.finish(end: true)
        #expect(try writer.check().problem == nil)
        var bytes = try folder.read("run")
        bytes[isHeader ? begins[chunk] + 40 : begins[chunk + 1] - 3] ^= 1
        try folder.write(bytes, to: "run")
        let all = try writer.check()
        #expect(all.eventsMissing == UInt64(sample.chunks[chunk].events.count))
        #expect(all.problem != nil)
        // Only the last chunk and the index are within.
        let last = try writer.check(payloadBytesMax: UInt64(bytes.count - begins[3]))
        #expect((last.problem != nil) == (isHeader || chunk == 3))
      }
    }
  }

  @Test("repair and merge keep what is readable, once")
  func copies() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder)
    var bytes = sample.bytes
    bytes[sample.chunks[1].end - 3] ^= 1
    let broken = try folder.write(bytes, to: "broken")
    let summary = try TraceCopy.make(folder.file("fixed"), from: [broken])
    #expect(summary.census.chunks == 3)
    #expect(summary.hasLoss)
    let fixed = try TraceReader(path: folder.file("fixed"))
    let kept = [0, 2, 3].flatMap { sample.chunks[$0].events }
    let all = try readable(fixed)
    #expect(Set(kept).isSubset(of: all))
    #expect(all.count == kept.count + 1)
    #expect(summary.census.lost.count == UInt64(sample.chunks[1].events.count))
    let standIns = fixed.streams.flatMap(\.chunks).filter(\.isStandIn)
    #expect(
      standIns.map(\.losses) == [[LossCount(family: .unknown, count: summary.census.lost.count)]]
    )
    try fixed.verify()
    #expect(!fixed.problems.contains { $0.isDamage })
    let merged = try TraceCopy.make(
      folder.file("merged"),
      from: [broken, folder.file("sample"), folder.file("fixed")]
    )
    #expect(merged.census.chunks == 4)
    let whole = try TraceReader(path: folder.file("merged"))
    #expect(Set(try readable(whole)) == Set(sample.chunks.flatMap(\.events)))
    #expect(!whole.problems.contains { $0.isDamage })
  }

  /// Two files that number other events of one writer alike cannot be one: nothing is dropped unsaid.
  @Test func mergeTellsOfOtherEventsUnderTheSameNumbers() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder)
    let writer = try TraceWriter(path: folder.file("other"), options: .init(.create))
    var encoder = ChunkEncoder()
    let first = try TraceReader(path: folder.file("sample"))
    let chunk = first.streams[0].chunks[0]
    var decoded = try first.decode(chunk)
    decoded.events[0].time = decoded.events[0].time.advanced(by: 1)
    for event in decoded.events { encoder.append(event) }
    try writer.append(
      encoder.finish(header: decoded.header, keyframe: decoded.keyframe, names: first.names)
    )
    try writer.finish(end: true)
    for inputs in [["sample", "other"], ["other", "sample"]] {
      let output = folder.file(inputs.joined(separator: "-"))
      let summary = try TraceCopy.make(output, from: inputs.map(folder.file))
      #expect(summary.hasLoss)
      #expect(summary.problems.contains { $0.problem.kind == .conflict })
      #expect(summary.census.chunks == sample.chunks.count)
    }
  }

  @Test("the checksum is the same by instruction and by table")
  func checksums() {
    let known = Array("123456789".utf8)
    #expect(cplatform_crc32c(0, known, known.count) == 0xe306_9283)
    var random = SeededRandom(seed: SeededRandom.seed)
    let bytes = (0..<1_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for length in 0..<1_000 {
      #expect(cplatform_crc32c(7, bytes, length) == cplatform_crc32c_by_table(7, bytes, length))
    }
  }
}
