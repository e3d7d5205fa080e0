// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceTrace

/// What stands behind the fixed parts of a header.
@Suite struct HeaderTagTests {
  private static let origin = RecordingOrigin(
    session: WideID(high: 1, low: 2),
    run: "nightly 42",
    machine: WideID(high: 3, low: 4),
    recorder: WideID(high: 5, low: 6)
  )

  private func header(_ origin: RecordingOrigin) -> ChunkHeader {
    var attributes = WriterAttributes(app: "notes")
    attributes.origin = origin
    var header = ChunkHeader(
      writer: WriterID(high: 7, low: 8),
      attributes: attributes,
      firstSequence: 9
    )
    header.eventCount = 1
    return header
  }

  private func bytes(_ header: ChunkHeader) -> [UInt8] {
    var out = ByteWriter()
    header.encode(into: &out)
    return out.bytes
  }

  private func read(_ bytes: [UInt8]) throws(ChunkDamage) -> ChunkHeader {
    var input = ByteReader(bytes)
    return try ChunkHeader(from: &input)
  }

  @Test func theOriginComesBack() throws {
    let header = header(Self.origin)
    #expect(try read(bytes(header)) == header)
  }

  @Test func aHeaderOfBeforeHasNone() throws {
    let header = header(RecordingOrigin())
    let old = bytes(header)
    #expect(bytes(self.header(Self.origin)).starts(with: old))
    #expect(try read(old).attributes.origin == RecordingOrigin())
  }

  @Test func whatIsNotKnownIsKept() throws {
    var header = header(Self.origin)
    header.attributes.unknownTags = [HeaderTag(31, [1, 2])]
    header.unknownTags = [HeaderTag(63, []), HeaderTag(1 << 40, [3])]
    let read = try read(bytes(header))
    #expect(read == header)
    #expect(bytes(read) == bytes(header))
  }

  @Test func aLongRunIsCut() throws {
    let long = String(repeating: "ä", count: 300)
    let run = try read(bytes(header(RecordingOrigin(run: long)))).attributes.origin.run
    #expect(run.utf8.count <= RecordingOrigin.runBytesMax)
    #expect(run.hasSuffix("ä…"))
  }

  /// Cut anywhere, a header has fewer tags, or is damaged; it never traps.
  @Test func cutAtEveryByte() throws {
    let old = bytes(header(RecordingOrigin())).count
    let all = bytes(header(Self.origin))
    var whole: Set<Int> = []
    for end in old...all.count where (try? read(Array(all[..<end]))) != nil { whole.insert(end) }
    let starts = [old, old + 18, old + 30, old + 48, old + 66]
    #expect(whole == Set(starts))
  }

  @Test(arguments: [
    [1, 3, 1, 2, 3],  // a session of three bytes
    [2, 2, 0xff, 0xff],  // a run that is no text
    [40, 0, 40, 0],  // one twice
    [41, 0, 40, 0],  // out of order
    [40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],  // a length that is a lie
  ])
  func isRefused(_ tail: [UInt8]) {
    #expect(throws: ChunkDamage.self) { try read(bytes(header(RecordingOrigin())) + tail) }
  }

  @Test func areAtMostSixtyFour() throws {
    let old = bytes(header(RecordingOrigin()))
    func tail(_ count: UInt8) -> [UInt8] { (0..<count).flatMap { [40 + $0, 0] } }
    #expect(try read(old + tail(64)).unknownTags.count == 64)
    #expect(throws: ChunkDamage.self) { try read(old + tail(65)) }
  }

  @Test func idsAreThirtyTwoDigits() {
    #expect(WideID("000000000000000a000000000000000B") == WideID(high: 10, low: 11))
    for wrong in [
      "", "0", String(repeating: "g", count: 32), "+" + String(repeating: "0", count: 31),
    ] {
      #expect(WideID(wrong) == nil)
    }
  }

  @Test func whatIsSaidOfClocksComesBack() throws {
    var header = header(Self.origin)
    header.clocks = [
      ClockBracket(tick: 1, monotonic: 2, boottime: 3, real: 4, width: 70),
      ClockBracket(tick: .max, monotonic: .min, boottime: .max, real: -1),
    ]
    header.fit = [
      ClockPiece(tick: 5, nanoseconds: -6, rate: 7),
      ClockPiece(tick: .max, nanoseconds: .max, rate: 0, run: .max),
    ]
    #expect(try read(bytes(header)) == header)
  }

  @Test(arguments: 0..<50)
  func theTableHasAllMessages(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var random = SeededRandom(seed: seed)
    var encoder = ChunkEncoder()
    var events: [Event] = []
    var time: Int64 = 0
    for _ in 0..<(1 + random.below(300)) {
      let kinds: [EventKind] = [.messageSend, .messageReceive, .mark, .mark]
      time += Int64(random.below(1_000)) - (random.once(in: 9) ? 2_000 : 0)
      let flow = round % 2 == 0 ? UInt64(events.count) : random.next()
      events.append(
        Event(kinds[random.below(4)], at: HostTime(rawValue: time), identity: flow)
      )
      encoder.append(events[events.count - 1])
    }
    let chunk = encoder.finish(header: header(Self.origin), keyframe: [], names: Names())
    let read = try read(bytes(chunk.header))
    #expect(read == chunk.header, "seed \(seed)")
    let rows = events.indices.filter { events[$0].kind != .mark }
    let table = read.messages ?? []
    #expect(table.map(\.row) == rows, "seed \(seed)")
    #expect(table.map(\.time) == rows.map { events[$0].time }, "seed \(seed)")
    #expect(table.map(\.flow) == rows.map { events[$0].identity }, "seed \(seed)")
    #expect(table.map(\.isSend) == rows.map { events[$0].kind == .messageSend }, "seed \(seed)")
    let latest = rows.map { row in events[...row].map(\.time).max() ?? events[row].time }
    #expect(
      table.map { $0.time.advanced(by: Int64($0.lateness)) } == latest,
      "seed \(seed)"
    )
  }

  @Test(arguments: [
    [1, 4, 0, 0, 0],  // a row behind the last
    [2, 0, 0, 0, 0, 0, 0, 0],  // two at one row
    [1, 0, 0, 2, 0],  // flows in a way that is not known
    [1, 0, 0, 1, 0, 0],  // a byte too many
    [200, 1, 0, 0],  // more than there are events
  ])
  func aTableInVarintsThatLiesIsRefused(_ table: [UInt8]) {
    let tail: [UInt8] = [34, UInt8(table.count)] + table
    #expect(throws: ChunkDamage.self) { try read(bytes(header(RecordingOrigin())) + tail) }
  }

  /// One send at row 0, of the header's least time and of flow 5, as it is read and with one byte changed.
  @Test func aTableOfOneIsReadAsThePageSays() throws {
    func table(_ table: [UInt8]) throws(ChunkDamage) -> [MessageEdge]? {
      let tail: [UInt8] = [35, UInt8(table.count)] + table
      return try read(bytes(header(RecordingOrigin())) + tail).messages
    }
    func edge(_ time: Int64, _ flow: UInt64, lateness: UInt64 = 0) -> MessageEdge {
      let time = HostTime(rawValue: time)
      return MessageEdge(row: 0, time: time, flow: flow, isSend: true, lateness: lateness)
    }
    #expect(try table([0]) == [])
    #expect(try table([1, 128, 1, 128, 0, 128, 7, 0, 128, 5]) == [edge(7, 5)])
    // Late by 3; a flow by its difference; a time in three bits, in a Rice code, and behind a mark.
    #expect(
      try table([1, 128, 1, 128, 2, 128, 7, 128, 3, 1, 128, 10])
        == [edge(4, 5, lateness: 3)]
    )
    #expect(try table([1, 128, 1, 128, 0, 131, 2, 5, 0, 128, 5]) == [edge(7, 5)])
    #expect(try table([1, 128, 1, 128, 0, 1, 0, 0b11000, 0, 128, 5]) == [edge(7, 5)])
    let marked: [UInt8] = [0, 0, 7, 0, 0, 0, 0, 0, 0, 0]
    #expect(try table([1, 128, 1, 128, 0, 1, 0] + marked + [0, 128, 5]) == [edge(7, 5)])
    for wrong: [UInt8] in [
      [2, 128, 1, 128, 0, 128, 7, 0, 128, 5],  // more than there are events
      [1, 128, 0, 128, 0, 128, 7, 0, 128, 5],  // a row before the first
      [1, 128, 2, 128, 0, 128, 7, 0, 128, 5],  // a row behind the last
      [1, 128, 1, 128, 4, 128, 7, 0, 128, 5],  // neither sent nor received
      [1, 128, 1, 128, 0, 193, 7, 0, 128, 5],  // numbers of 65 bits
      [1, 128, 1, 128, 0, 64, 7, 0, 128, 5],  // a Rice code of 64 bits
      [1, 128, 1, 128, 0, 131, 2, 13, 0, 128, 5],  // a bit behind the last
      [1, 128, 1, 128, 0, 128, 7, 2, 128, 5],  // flows in a way that is not known
      [1, 128, 1, 128, 0, 128, 7, 0, 192, 0, 5],  // too few bytes
      [1, 128, 1, 128, 0, 128, 7, 0, 128, 5, 0],  // a byte too many
    ] {
      #expect(throws: ChunkDamage.self, "\(wrong)") { try table(wrong) }
    }
  }

  @Test func twoTablesAreRefused() {
    #expect(throws: ChunkDamage.self) {
      try read(bytes(header(RecordingOrigin())) + [34, 2, 0, 0, 35, 1, 0])
    }
  }

  @Test(arguments: 0..<200)
  func columnsOfBitsComeBack(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var random = SeededRandom(seed: seed)
    let shifts = UInt64(random.below(65))
    let base = random.once(in: 2) ? random.next() : 0
    let numbers = (0..<random.below(200)).map { _ in
      // Now and then one far above the others.
      base &+ random.next() >> (random.once(in: 40) ? 0 : min(63, shifts + UInt64(random.below(6))))
    }
    let column = BitColumn(numbers)
    var out = ByteWriter()
    column.encode(into: &out)
    #expect(out.count <= 11 + (column.bits + 7) / 8)
    #expect(column.bits <= 64 * numbers.count, "seed \(seed)")
    out.byte(0xa5)
    var input = ByteReader(out.bytes)
    var found: [UInt64] = []
    try BitColumn.decode("number", count: numbers.count, from: &input) { _, number in
      found.append(number)
    }
    #expect(found == numbers, "seed \(seed)")
    #expect(input.remaining == 1, "seed \(seed)")
  }

  @Test func bracketsAreTenSecondsApart() {
    func bracket(_ second: Int64, asleep: Int64 = 0) -> ClockBracket {
      let time = second * 1_000_000_000
      return ClockBracket(tick: 0, monotonic: time, boottime: time + asleep, real: time + asleep)
    }
    let steady = (0...25).map { bracket($0) }
    #expect(
      ClockBracket.thinned(steady) == [bracket(0), bracket(10), bracket(20), bracket(25)]
    )
    let slept = [bracket(0), bracket(1), bracket(2, asleep: 5_000_000_000), bracket(3)]
    #expect(ClockBracket.thinned(slept).count == 3)
    #expect(ClockBracket.thinned([bracket(1), bracket(1)]) == [bracket(1)])
  }
}
