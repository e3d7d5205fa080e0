// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import Testing
import LifetraceTrace
import LifetraceTraceFile

@Suite("A damaged file shows what is left and says what is gone")
struct DamageTests {
  @Test("cut at every byte")
  func cutAtEveryByte() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder)
    for length in 0..<sample.bytes.count {
      let path = try folder.write(Array(sample.bytes[..<length]), to: "cut")
      let whole = sample.chunks.filter { $0.end <= length }
      let reader: TraceReader
      do {
        reader = try TraceReader(path: path)
      } catch {
        Issue.record("cut at \(length): \(error)")
        return
      }
      let events = try readable(reader)
      #expect(events == whole.flatMap(\.events), "cut at \(length)")
      #expect(!reader.hasEnd)
      #expect(reader.problems.contains { $0.kind == .noEnd }, "cut at \(length)")
      // Between chunks nothing is torn; elsewhere the tail is.
      let isClean = length == 0 || sample.chunks.contains { $0.end == length }
      let isInIndex = length > sample.chunks[sample.chunks.count - 1].end
      #expect(
        reader.problems.contains { $0.kind == .tornTail } == !(isClean || isInIndex),
        "cut at \(length): \(reader.problems)"
      )
      // An index takes no event with it.
      #expect(reader.problems.contains { $0.kind == .index } == isInIndex, "cut at \(length)")
      #expect(reader.census.lost.isNone == (isClean || isInIndex), "cut at \(length)")
    }
  }

  @Test("one bit flipped in every byte: damage, never data, never a crash")
  func flipEveryByte() throws {
    let folder = try TestFolder()
    let sample = try Sample(folder: folder)
    let all = sample.chunks.flatMap(\.events)
    for byte in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[byte] ^= 1 << UInt8(byte % 8)
      let path = try folder.write(bytes, to: "flipped")
      let reader: TraceReader
      do throws(TraceFileError) {
        reader = try TraceReader(path: path)
      } catch {
        #expect(!error.isIO)
        continue
      }
      let events = try readable(reader)
      #expect(events.allSatisfy { all.contains($0) }, "byte \(byte) changed an event")
      // A damaged footer costs time, not events.
      let isInFooter = byte >= sample.chunks[sample.chunks.count - 1].end
      let chunk = sample.chunks.firstIndex { byte < $0.end }
      let expected = sample.chunks.indices.filter { $0 != chunk }.flatMap {
        sample.chunks[$0].events
      }
      #expect(events == expected, "byte \(byte)")
      #expect(
        reader.problems.contains { $0.kind == (isInFooter ? .index : .damage) },
        "byte \(byte) of \(sample.bytes.count): \(reader.problems)"
      )
      if isInFooter { #expect(reader.census.lost.isNone, "byte \(byte)") }
    }
  }

  @Test("a piece that ends within a chunk hides nothing of what is appended to it")
  func tornPieces() throws {
    let folder = try TestFolder()
    let whole = try Sample(folder: folder, name: "whole", sizes: [300])
    let lost = try Sample(
      folder: folder,
      name: "lost",
      seed: 7,
      writers: [WriterID(high: 5, low: 6), WriterID(high: 7, low: 8)]
    )
    let events = lost.chunks.flatMap(\.events)
    #expect(whole.chunks[0].end > lost.bytes.count)
    var hidden = 0
    for length in 1..<whole.chunks[0].end {
      let torn = Array(whole.bytes[..<length])
      let path = try folder.write(torn + lost.bytes + torn, to: "pieces")
      let reader = try TraceReader(path: path)
      #expect(try readable(reader) == events, "cut at \(length)")
      // Who reads headers only is misled where a frame begins at the very byte that the header of
      // the torn chunk names, and learns of it when it reads that chunk.
      let missing = whole.chunks[0].end - length
      let ends = lost.chunks.map(\.end) + [lost.bytes.count]
      guard ends.contains(missing) || length % 16 == 0 else { continue }
      let hasty = try TraceReader(path: path, comparesPayloads: false)
      #expect(try (readable(hasty) != events) == ends.contains(missing), "cut at \(length)")
      guard ends.contains(missing) else { continue }
      hidden += 1
      #expect(hasty.problems.contains { $0.kind == .damage && $0.byte == 0 }, "cut at \(length)")
    }
    #expect(hidden == lost.chunks.count + 1)
    // One that is damaged and whole otherwise is known by its header, as ever.
    var bytes = whole.bytes[..<whole.chunks[0].end] + lost.bytes + [0]
    bytes[whole.chunks[0].end - 5] ^= 1
    let reader = try TraceReader(path: try folder.write(Array(bytes), to: "pieces"))
    #expect(try readable(reader) == events)
    #expect(reader.census.lost.count == 300)
  }

  @Test("only a plain file is opened as a trace", .timeLimit(.minutes(1)))
  func onlyFilesAreOpened() throws {
    let folder = try TestFolder()
    #expect(mkfifo(folder.file("a pipe"), 0o600) == 0)
    #expect(mkdir(folder.file("a directory"), 0o700) == 0)
    #expect(symlink("/dev/full", folder.file("a device")) == 0)
    #expect(symlink("a pipe", folder.file("link")) == 0)
    for name in folder.names {
      let what = name == "link" ? "a pipe" : name
      let path = folder.file(name)
      let opening: [() throws -> Void] = [
        { _ = try TraceReader(path: path) }, { _ = try TraceLock(path) },
        { _ = try TraceWriter(path: path, options: .append) },
      ]
      for open in opening {
        let error = #expect(throws: TraceFileError.self) { try open() }
        #expect(error?.reason == .notAFile(what))
        #expect(
          error?.description == "\(path): is \(what), and no trace can stand there; name a file"
        )
      }
    }
  }

  @Test("bytes of another kind are refused, and lengths that lie are not believed")
  func hostile() throws {
    let folder = try TestFolder()
    var random = SeededRandom(seed: SeededRandom.seed)
    let noise = (0..<5_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    #expect(throws: TraceFileError.self) {
      _ = try TraceReader(path: try folder.write(noise, to: "noise"))
    }
    let sample = try Sample(folder: folder)
    // Every length field of the first header and of the footer as large as it can be.
    for offset in [4, 20, 24, 32, sample.bytes.count - 16] {
      var bytes = sample.bytes
      for byte in offset..<(offset + 4) { bytes[byte] = 0xff }
      let reader = try TraceReader(path: try folder.write(bytes, to: "lies"))
      _ = try readable(reader)
      #expect(!reader.problems.isEmpty, "length at \(offset)")
    }
  }

  @Test("random mutations with right checksums cannot crash the decoder")
  func mutations() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    var source = RandomEvents(seed: SeededRandom.seed)
    let events = source.next(300)
    let chunk = Sample.chunk(events, writer: Sample.writers[0], from: 0, names: source.names)
    var refused = 0
    for _ in 0..<600 {
      var payload = chunk.payload
      for _ in 0...random.below(4) {
        payload[random.below(payload.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.once(in: 5) { payload.removeLast(random.below(payload.count)) }
      var names = Names()
      do throws(ChunkDamage) {
        let parsed = try ChunkPayload(header: chunk.header, payload: payload, names: &names)
        let decoded = try parsed.decode()
        #expect(decoded.count == events.count)
        for event in decoded { #expect(event.argumentCount <= Event.argumentsMax) }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 200, "seed \(SeededRandom.seed)")
  }
}

/// A file made to be slow.
@Suite struct FalseBeginningTests {
  private static var secondsComputed: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }

  /// Headers that are sound, each with a claim of mebibytes that are not its payload.
  @Test(.timeLimit(.minutes(20))) func aFileFullOfTornChunksIsReadInTimeWithItsSize() throws {
    let start = Self.secondsComputed
    defer { #expect(Self.secondsComputed - start < 60) }
    let folder = try TestFolder()
    var noise = SeededRandom(seed: 3)
    var names = Names()
    let events = (0..<16_000).map { index in
      var event = Event(.log, at: HostTime(rawValue: Int64(index)), observer: .recorder)
      event.arguments.0 = UInt64(names.intern(String(noise.next(), radix: 36)).rawValue)
      event.identity = noise.next()
      event.argumentCount = 1
      return event
    }
    let writer = try TraceWriter(path: folder.file("large"), options: .init(.create))
    try writer.append(
      Sample.chunk(events, writer: WriterID(high: 9, low: 9), from: 0, names: names)
    )
    try writer.finish(end: true)
    let chunk = try TraceReader(path: writer.path).streams[0].chunks[0]
    #expect(chunk.payloadBytes > 100_000)
    let header = try folder.read("large").prefix(chunk.headerBytes)
    let torn = Array(repeatElement(header, count: (24 << 20) / header.count).joined())
    let sample = try Sample(folder: folder)
    let bytes = torn + sample.bytes + torn
    let reader = try TraceReader(path: try folder.write(bytes, to: "torn"))
    #expect(try readable(reader).suffix(10) == sample.chunks.flatMap(\.events)[...])
  }

  /// Each sixteenth byte begins what says to be a header of a mebibyte.
  @Test(.timeLimit(.minutes(20))) func aFileFullOfFalseHeadersIsReadInTimeWithItsSize() throws {
    let start = Self.secondsComputed
    // Of this thread alone: whoever else is busy is not the reader's fault.
    defer { #expect(Self.secondsComputed - start < 60) }
    let size: UInt32 = (1 << 20) - 8
    var beginning: [UInt8] = [0x5c, 0x2a, 0x4d, 0x18]
    beginning += (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    beginning += Array("LTRCHUNK".utf8)
    let bytes = Array(repeatElement(beginning, count: 1 << 19).joined())
    let folder = try TestFolder()
    let path = try folder.write(bytes, to: "false")
    #expect(throws: TraceFileError.self) { try TraceReader(path: path) }
    // Behind a recording they are counted, and only the first are told of.
    let sample = try Sample(folder: folder)
    let reader = try TraceReader(path: try folder.write(sample.bytes + bytes, to: "both"))
    let damage = reader.problems.filter { $0.kind == .damage }
    #expect(damage.count == 101)
    let last = try #require(damage.last)
    #expect(last.text.hasPrefix("no chunk in 52"), "\(last)")
    #expect(reader.census.lost == EventsLost(count: 0, isAtLeast: true))
  }
}

/// What a trace says of its own holes.
@Suite struct CensusTests {
  private func reader(
    _ change: (Int, inout ChunkHeader) -> Void,
    leavingOut hole: Int?
  ) throws -> (TestFolder, TraceReader) {
    let folder = try TestFolder()
    let path = folder.file("census")
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    var source = RandomEvents(seed: 11)
    for round in 0..<4 {
      var chunk = Sample.chunk(
        source.next(10),
        writer: Sample.writers[0],
        from: UInt64(round * 10),
        names: source.names
      )
      change(round, &chunk.header)
      if round != hole { try writer.append(chunk) }
    }
    try writer.finish(end: true)
    return (folder, try TraceReader(path: path))
  }

  @Test func droppedAndMissingAddUp() throws {
    let (_, reader) = try reader(
      { round, header in
        if round == 3 { header.losses = [LossCount(family: .data, count: 3)] }
      },
      leavingOut: 1
    )
    let census = reader.census
    #expect(census.events == 30 && census.chunks == 3 && census.marks == 0)
    #expect(census.missing == EventsLost(count: 10))
    #expect(census.dropped == [.data: EventsLost(count: 3)])
    #expect(census.lost == EventsLost(count: 13))
  }

  @Test func countsThatLieDoNotOverflow() throws {
    let (_, reader) = try reader(
      { _, header in header.losses = [LossCount(family: .data, count: .max)] },
      leavingOut: nil
    )
    #expect(reader.census.lost == EventsLost(count: .max))
  }

  /// What a flight recorder let go is not missing; what was cut out of a whole recording is.
  @Test(arguments: [0, 1])
  func whatWasLeftOutOnPurposeIsNotMissing(hole: Int) throws {
    let (_, kept) = try reader({ $1.keepsLast = true }, leavingOut: hole)
    #expect(kept.problems.isEmpty, "\(kept.problems)")
    #expect(kept.census.lost.isNone)
    let (_, cut) = try reader({ _, _ in }, leavingOut: hole)
    #expect(cut.problems.map(\.kind) == [hole == 0 ? .noBegin : .gap])
    #expect(cut.census.lost == EventsLost(count: 10))
  }

  /// Whatever happened to the file: a repair says of its copy what verify says of the original.
  @Test func anyDamageIsCountedAlike() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let folder = try TestFolder()
    let sample = try Sample(folder: folder, sizes: [5, 4, 6, 3, 7, 5, 4, 8])
    let ends = [0] + sample.chunks.map(\.end)
    for round in 0..<150 {
      var bytes = sample.bytes
      for _ in 0...random.below(3) {
        let at = random.below(bytes.count)
        switch random.below(6) {
        case 0: bytes.removeLast(bytes.count - max(at, 1))
        case 1: bytes.removeFirst(at / 2)
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(400)))
        case 3: bytes.insert(contentsOf: [UInt8](repeating: 7, count: random.below(90)), at: at)
        case 4 where bytes.count == sample.bytes.count:
          // A whole chunk.
          let chunk = random.below(sample.chunks.count)
          bytes.removeSubrange(ends[chunk]..<ends[chunk + 1])
        default: bytes[at] ^= 1 << UInt8(random.below(8))
        }
      }
      let path = try folder.write(bytes, to: "any")
      guard let reader = try? TraceReader(path: path), !reader.streams.isEmpty else { continue }
      try reader.verify()
      let output = folder.file("copy-\(round)")
      let summary = try TraceCopy.make(output, from: [path])
      #expect(summary.census.events == reader.census.events, "round \(round)")
      #expect(summary.census.chunks == reader.census.chunks, "round \(round)")
      #expect(summary.census.lost == reader.census.lost, "round \(round): \(reader.problems)")
      let copy = try TraceReader(path: output)
      try copy.verify()
      #expect(!copy.problems.contains { $0.isDamage }, "round \(round): \(copy.problems)")
      #expect(copy.census == summary.census, "round \(round)")
    }
    print("seed \(SeededRandom.seed)")
  }

  @Test func aRepairKeepsWhatTheHeaderOfADamagedChunkCounts() throws {
    let (folder, reader) = try reader(
      { round, header in
        if round == 1 { header.losses = [LossCount(family: .data, count: 3)] }
      },
      leavingOut: nil
    )
    var bytes = try folder.read("census")
    bytes[Int(reader.streams[0].chunks[1].endOffset) - 2] ^= 1
    let broken = try folder.write(bytes, to: "broken")
    let summary = try TraceCopy.make(folder.file("fixed"), from: [broken])
    #expect(summary.census.lost == EventsLost(count: 13))
    #expect(summary.census.dropped == [.data: EventsLost(count: 3)])
    let damaged = try TraceReader(path: broken)
    try damaged.verify()
    #expect(damaged.census.lost == summary.census.lost)
    #expect(damaged.census.events == summary.census.events)
  }
}
