// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// Copies of one recording, put together by `cat`: each event once, however it is cut into chunks.
@Suite struct LiveCopyTests {
  /// Small in every run, large by `LIFETRACE_TEST_SCALE`.
  private static var scale: Int {
    getenv("LIFETRACE_TEST_SCALE").flatMap { Int(String(cString: $0)) } ?? 1
  }

  /// One writer's events, and where a recorder has cut them.
  private struct Original {
    var events: [Event]
    var names: Names
    var bounds = [0]

    init(_ random: inout SeededRandom, chunks: Int) {
      var source = RandomEvents(seed: random.next())
      events = []
      for _ in 0..<chunks {
        events += source.next(1 + random.below(30))
        bounds.append(events.count)
      }
      names = source.names
    }

    var plain: [PlainEvent] { events.map { PlainEvent($0, names: names) } }

    func chunk(_ from: Int, _ to: Int, keyframe: Int) -> EncodedChunk {
      var chunk = Sample.chunk(
        Array(events[from..<to]),
        writer: Sample.writers[0],
        from: UInt64(from),
        names: names
      )
      if keyframe != from { chunk.header.keyframe = .continued(from: UInt64(keyframe)) }
      return chunk
    }
  }

  /// The events of the stream, by both ways in which a chunk is read.
  private func events(_ reader: TraceReader) throws -> [PlainEvent] {
    let chunks = try #require(reader.streams.first).chunks
    let decoded = try chunks.flatMap { try reader.decode($0).events }
    var scanned: [PlainEvent] = []
    for chunk in chunks {
      let payload = try reader.payload(of: chunk)
      let names = reader.names
      try reader.scan(chunk, payload, in: StrideBuffer()) { events in
        for index in events.indices { scanned.append(PlainEvent(events[index], names: names)) }
      }
    }
    let plain = decoded.map { PlainEvent($0, names: reader.names) }
    #expect(plain == scanned)
    for (chunk, next) in zip(chunks, chunks.dropFirst()) {
      #expect(chunk.endSequence <= next.firstSequence)
    }
    // A state that goes on from a chunk finds it.
    for chunk in chunks {
      guard case .continued(let from) = chunk.keyframe else { continue }
      #expect(chunks.contains { $0.firstSequence == from && $0.keyframe == .full }, "\(from)")
    }
    return plain
  }

  @Test func copiesTakenWhileRecordingAndTheCompactedTraceAreOne() throws {
    let seed = SeededRandom.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    let folder = try TestFolder()
    var compacted = 0
    for round in 0..<(12 * Self.scale) {
      let comment = Comment("seed \(seed), round \(round)")
      let original = Original(&random, chunks: 2 + random.below(12))
      unlink(folder.file("run"))
      let writer = try TraceWriter(path: folder.file("run"), options: .create)
      var copies: [[UInt8]] = []
      var keyframe = 0
      for (from, to) in zip(original.bounds, original.bounds.dropFirst()) {
        if random.once(in: 3) { keyframe = from }
        try writer.append(original.chunk(from, to, keyframe: keyframe))
        if random.once(in: 3) { copies.append(try folder.read("run")) }
      }
      try writer.finish(end: true)
      let final = try folder.read("run")
      compacted += try TraceReader(path: folder.file("run")).streams[0].chunks.count == 1 ? 1 : 0
      var parts = copies + [final]
      for turn in 0..<2 {
        let both = try folder.write(parts.flatMap { $0 }, to: "both")
        let reader = try TraceReader(path: both)
        #expect(
          reader.problems.isEmpty,
          "\(reader.problems), seed \(seed), round \(round), \(turn)"
        )
        #expect(reader.hasEnd, comment)
        #expect(try events(reader) == original.plain, comment)
        #expect(reader.census.events == original.events.count, comment)
        // And a merge or a repair of it is the same again.
        unlink(folder.file("copy"))
        let summary = try TraceCopy.make(folder.file("copy"), from: [both])
        #expect(!summary.hasLoss && summary.remaining.isEmpty, comment)
        #expect(try events(TraceReader(path: folder.file("copy"))) == original.plain, comment)
        parts.shuffle(using: &random)
      }
      // So is a merge of them as they are.
      var paths = [folder.file("run")]
      for (index, copy) in copies.enumerated() {
        paths.append(try folder.write(copy, to: "live\(index)"))
      }
      unlink(folder.file("copy"))
      let merged = try TraceCopy.make(
        folder.file("copy"),
        from: paths.shuffled(using: &random)
      )
      #expect(!merged.hasLoss && merged.remaining.isEmpty, comment)
      #expect(try events(TraceReader(path: folder.file("copy"))) == original.plain, comment)
      // Copies alone have no end, and nothing else is wrong.
      if !copies.isEmpty {
        let reader = try TraceReader(
          path: try folder.write(copies.shuffled(using: &random).flatMap { $0 }, to: "live")
        )
        #expect(reader.problems.map(\.kind) == [.noEnd], comment)
        unlink(folder.file("copy"))
        let merged = try TraceCopy.make(folder.file("copy"), from: Array(paths.dropFirst()))
        #expect(merged.remaining.map(\.kind) == [.noEnd], comment)
      }
    }
    #expect(compacted > 3 * Self.scale)
  }

  /// Copies with holes, cut at other places: what any of them has is there.
  @Test func chunksThatOverlapInPartAreRead() throws {
    let seed = SeededRandom.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    let folder = try TestFolder()
    var partial = 0
    for round in 0..<(40 * Self.scale) {
      let comment = Comment("seed \(seed), round \(round)")
      let original = Original(&random, chunks: 3 + random.below(8))
      var known: Set<Int> = []
      var bytes: [UInt8] = []
      for copy in 0..<(2 + random.below(2)) {
        let name = "copy\(copy)"
        unlink(folder.file(name))
        let writer = try TraceWriter(
          path: folder.file(name),
          options: .init(.create, compacts: false)
        )
        var from = 0
        for to in original.bounds.dropFirst()
        where to == original.events.count || random.once(in: 2) {
          defer { from = to }
          if random.once(in: 4) { continue }
          try writer.append(original.chunk(from, to, keyframe: from))
          known.formUnion(from..<to)
        }
        try writer.finish(end: true)
        bytes += try folder.read(name)
      }
      guard !known.isEmpty else { continue }
      let reader = try TraceReader(path: try folder.write(bytes, to: "both"))
      #expect(reader.problems.allSatisfy { [.gap, .noBegin].contains($0.kind) }, comment)
      #expect(try events(reader) == known.sorted().map { original.plain[$0] }, comment)
      #expect(
        reader.census.missing.count == UInt64((known.max() ?? 0) + 1 - known.count),
        comment
      )
      partial += reader.streams[0].chunks.contains { $0.skipped > 0 } ? 1 : 0
      unlink(folder.file("merged"))
      let summary = try TraceCopy.make(folder.file("merged"), from: [folder.file("both")])
      #expect(summary.census.events == known.count, comment)
      #expect(summary.census.lost == reader.census.lost, comment)
    }
    #expect(partial > 2 * Self.scale)
  }

  /// Of two that tell of the same events the one counts that can be read.
  @Test(arguments: [false, true]) func aDamagedCopyDoesNotHideAWholeOne(isFirst: Bool) throws {
    let folder = try TestFolder()
    var random = SeededRandom(seed: 3)
    let original = Original(&random, chunks: 6)
    let writer = try TraceWriter(path: folder.file("run"), options: .create)
    for (from, to) in zip(original.bounds, original.bounds.dropFirst()) {
      try writer.append(original.chunk(from, to, keyframe: from))
      if to == original.bounds[4] { try folder.write(folder.read("run"), to: "live") }
    }
    try writer.finish(end: true)
    var final = try folder.read("run")
    let chunk = try #require(try TraceReader(path: folder.file("run")).streams[0].chunks.first)
    #expect(chunk.eventCount == original.events.count)
    final[Int(chunk.endOffset) - 2] ^= 1
    let live = try folder.read("live")
    let both = try folder.write(isFirst ? live + final : final + live, to: "both")
    let reader = try TraceReader(path: both)
    try reader.verify()
    #expect(reader.problems.contains { $0.kind == .damage })
    #expect(try readable(reader) == Array(original.plain[..<original.bounds[4]]))
    #expect(reader.census.missing.count == UInt64(original.events.count - original.bounds[4]))
  }

  @Test func otherEventsUnderTheSameNumbersAreDamage() throws {
    let folder = try TestFolder()
    var random = SeededRandom(seed: 4)
    let original = Original(&random, chunks: 4)
    let writer = try TraceWriter(path: folder.file("run"), options: .create)
    var changed = original
    changed.events[original.bounds[2]].time = original.events[original.bounds[2]].time
      .advanced(by: 1)
    for (from, to) in zip(original.bounds, original.bounds.dropFirst()) {
      try writer.append(original.chunk(from, to, keyframe: from))
    }
    try writer.finish(end: true)
    let other = try TraceWriter(path: folder.file("other"), options: .create)
    try other.append(
      changed.chunk(original.bounds[2], original.bounds[3], keyframe: original.bounds[2])
    )
    try other.finish(end: true)
    let both = try folder.write(folder.read("run") + folder.read("other"), to: "both")
    let reader = try TraceReader(path: both)
    #expect(reader.problems.map(\.kind) == [.conflict])
    #expect(reader.problems[0].text.contains("again, but others than"), "\(reader.problems)")
    #expect(try events(reader) == original.plain)
  }
}
