// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// What a merge of damaged copies counts, against sets of numbers.
@Suite struct MergeTests {
  /// What a copy knows.
  private struct Knowledge {
    var path: String
    /// The numbers that can be read.
    var readable: Set<UInt64> = []
    /// Behind the last chunk that it tells of.
    var end: UInt64 = 0
    /// Of the chunks that it tells of, by their first numbers.
    var dropped: [UInt64: UInt64] = [:]
    /// Something was there that nobody knows of.
    var hasLostHeaders = false
  }

  /// Some events of one writer in chunks, of which copies are made.
  private struct Original {
    var events: [Event] = []
    var names = Names()
    /// Where chunks begin, and the end.
    var bounds: [Int] = [0]
    /// Losses in headers, by the chunk's begin.
    var dropped: [Int: UInt64] = [:]

    init(_ random: inout SeededRandom) {
      var source = RandomEvents(seed: random.next())
      for _ in 0..<(2 + random.below(7)) {
        if random.below(4) == 0 { dropped[events.count] = UInt64(1 + random.below(5)) }
        events += source.next(1 + random.below(6))
        bounds.append(events.count)
      }
      names = source.names
    }

    /// A copy, damaged at random; nil where nothing of it can be read.
    func copy(_ path: String, _ random: inout SeededRandom) throws -> Knowledge? {
      unlink(path)
      let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
      var begin = 0
      for index in 1..<bounds.count {
        // Neighbours may have become one, as a compaction does it; a loss begins a chunk.
        let isLast = index == bounds.count - 1
        guard isLast || dropped[bounds[index]] != nil || random.below(3) > 0 else { continue }
        defer { begin = bounds[index] }
        if random.below(8) == 0 { continue }
        var chunk = Sample.chunk(
          Array(events[begin..<bounds[index]]),
          writer: Sample.writers[0],
          from: UInt64(begin),
          names: names
        )
        if let count = dropped[begin] {
          chunk.header.losses = [LossCount(family: .data, count: count)]
        }
        try writer.append(chunk)
      }
      let hasIndex = random.below(2) == 0
      if hasIndex { try writer.finish(end: true) }
      guard let chunks = try TraceReader(path: path).streams.first?.chunks else { return nil }
      var known = Knowledge(path: path)
      let file = open(path, O_RDWR)
      defer { close(file) }
      for chunk in chunks {
        let isTold: Bool
        switch random.below(6) {
        case 0:
          // A byte of the payload.
          flip(file, Int(chunk.endOffset) - 2)
          isTold = true
        case 1:
          // One of the header, which an index tells all the same.
          flip(file, Int(chunk.offset) + chunk.headerBytes - 6)
          isTold = hasIndex
          known.hasLostHeaders = known.hasLostHeaders || !hasIndex
        default:
          isTold = true
          known.readable.formUnion(chunk.firstSequence..<chunk.endSequence)
        }
        guard isTold else { continue }
        known.end = max(known.end, chunk.endSequence)
        for loss in chunk.losses { known.dropped[chunk.firstSequence] = loss.count }
      }
      return known.end == 0 ? nil : known
    }

    private func flip(_ file: Int32, _ offset: Int) {
      var byte: UInt8 = 0
      pread(file, &byte, 1, off_t(offset))
      byte ^= 0x10
      pwrite(file, &byte, 1, off_t(offset))
    }
  }

  private func numbers(_ path: String) throws -> (readable: [UInt64], census: TraceCensus) {
    let reader = try TraceReader(path: path)
    try reader.verify()
    #expect(!reader.problems.contains { $0.isDamage }, "\(reader.problems)")
    #expect(reader.duplicates == 0)
    let chunks = reader.streams[0].chunks.filter { !$0.isStandIn }
    return (chunks.flatMap { Array($0.firstSequence..<$0.endSequence) }, reader.census)
  }

  @Test func whatIsGoneIsWhatIsKnownAndNotReadableInAnyCopy() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let folder = try TestFolder()
    var (lossy, uncounted) = (0, 0)
    for round in 0..<400 {
      let original = Original(&random)
      var copies: [Knowledge] = []
      for number in 0..<(1 + random.below(3)) {
        if let copy = try original.copy(folder.file("copy\(number)"), &random) {
          copies.append(copy)
        }
      }
      guard !copies.isEmpty else { continue }
      let readable = copies.reduce(into: Set<UInt64>()) { $0.formUnion($1.readable) }
      let end = copies.map(\.end).max() ?? 0
      let missing = Set(0..<end).subtracting(readable)
      let dropped = copies.reduce(into: [:]) { $0.merge($1.dropped) { one, _ in one } }
      let isAtLeast = copies.contains { $0.hasLostHeaders && $0.end == end }
      let comment = Comment("seed \(SeededRandom.seed), round \(round)")

      func check(_ path: String) throws {
        let (found, census) = try numbers(path)
        #expect(found == readable.sorted(), comment)
        #expect(census.events == readable.count, comment)
        #expect(
          census.missing == EventsLost(count: UInt64(missing.count), isAtLeast: isAtLeast),
          comment
        )
        let sum = dropped.values.reduce(0, +)
        #expect(census.dropped[.data]?.count ?? 0 == sum, comment)
      }
      let merged = folder.file("merged")
      unlink(merged)
      let summary = try TraceCopy.make(merged, from: copies.map(\.path))
      try check(merged)
      #expect(try TraceReader(path: merged).census == summary.census, comment)
      // In another order, and in steps: what a merge has marked is filled by the next.
      unlink(folder.file("turned"))
      _ = try TraceCopy.make(folder.file("turned"), from: copies.reversed().map(\.path))
      try check(folder.file("turned"))
      var step = copies[0].path
      for (number, copy) in copies.enumerated() {
        let next = folder.file("step\(number)")
        unlink(next)
        _ = try TraceCopy.make(next, from: [step, copy.path])
        step = next
      }
      try check(step)
      lossy += missing.isEmpty ? 0 : 1
      uncounted += isAtLeast ? 1 : 0
    }
    #expect(lossy > 100 && uncounted > 20)
  }

  /// A flight recorder's hole is none; a damaged chunk beside it is lost all the same.
  @Test func whatWasLetGoOnPurposeIsNotGone() throws {
    let folder = try TestFolder()
    let writer = try TraceWriter(
      path: folder.file("last"),
      options: .init(.create, compacts: false)
    )
    var source = RandomEvents(seed: 5)
    for from in [UInt64(20), 30, 50] {
      var chunk = Sample.chunk(
        source.next(10),
        writer: Sample.writers[0],
        from: from,
        names: source.names
      )
      chunk.header.keepsLast = true
      try writer.append(chunk)
    }
    try writer.finish(end: true)
    var bytes = try folder.read("last")
    let chunks = try TraceReader(path: folder.file("last")).streams[0].chunks
    bytes[Int(chunks[1].endOffset) - 2] ^= 1
    let broken = try folder.write(bytes, to: "broken")
    let summary = try TraceCopy.make(folder.file("fixed"), from: [broken])
    #expect(summary.census.events == 20)
    #expect(summary.census.lost == EventsLost(count: 10))
    let merged = try TraceCopy.make(
      folder.file("merged"),
      from: [folder.file("fixed"), folder.file("last")]
    )
    #expect(merged.census.events == 30)
    #expect(merged.census.lost.isNone)
  }
}
