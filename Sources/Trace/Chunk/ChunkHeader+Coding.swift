// SPDX-License-Identifier: Apache-2.0

extension ChunkHeader {
  /// Bytes of the part of a header that has a fixed layout.
  public static let fixedBytes = 84

  /// Writes the fields of the header; lengths and checksums are the file's business.
  public func encode(into out: inout ByteWriter) {
    out.word(UInt32(eventCount))
    out.word(writer.high)
    out.word(writer.low)
    out.word(firstSequence)
    out.word(UInt64(bitPattern: firstTime.rawValue))
    out.word(UInt64(bitPattern: lastTime.rawValue))
    out.word(kinds.words.0)
    out.word(kinds.words.1)
    out.word(kinds.words.2)
    out.word(kinds.words.3)
    switch keyframe {
    case .full: out.word(UInt64.max)
    case .continued(let from): out.word(from)
    }
    attributes.encode(into: &out)
    out.varint(losses.count)
    for loss in losses {
      out.byte(loss.family.rawValue)
      out.varint(loss.count)
    }
    let clocks = clocks.prefix(Chunk.clocksMax)
    out.varint(clocks.count)
    for clock in clocks {
      out.word(clock.tick)
      out.word(UInt64(bitPattern: clock.monotonic))
      out.word(UInt64(bitPattern: clock.boottime))
      out.word(UInt64(bitPattern: clock.real))
    }
    out.varint(consumed.count)
    for position in consumed {
      out.varint(position.serial)
      out.varint(UInt64(position.records))
    }
    out.block(nameFilter.bytes)
    HeaderTag.encode(attributes.tags + tags, into: &out)
  }

  /// Reads what ``encode(into:)`` wrote; its tags reach to the end of `input`.
  public init(from input: inout ByteReader) throws(ChunkDamage) {
    let countAt = input.position
    let count: UInt32 = try input.word("event count")
    guard count >= 1, Int(count) <= Chunk.rowsMax else {
      throw ChunkDamage(
        "event count",
        found: UInt64(count),
        expected: "1 to \(Chunk.rowsMax)",
        at: countAt
      )
    }
    let writer = WriterID(high: try input.word("writer"), low: try input.word("writer"))
    let firstSequence: UInt64 = try input.word("first sequence")
    guard firstSequence <= UInt64.max - UInt64(Chunk.rowsMax) else {
      throw ChunkDamage("first sequence", found: firstSequence, expected: "less", at: countAt + 20)
    }
    let firstTime = HostTime(rawValue: Int64(bitPattern: try input.word("first time")))
    let lastTime = HostTime(rawValue: Int64(bitPattern: try input.word("last time")))
    guard firstTime <= lastTime else {
      throw ChunkDamage(
        "last time",
        found: UInt64(bitPattern: lastTime.rawValue),
        expected: "at least the first time",
        at: countAt + 36
      )
    }
    var kinds = KindSet()
    kinds.words.0 = try input.word("kinds")
    kinds.words.1 = try input.word("kinds")
    kinds.words.2 = try input.word("kinds")
    kinds.words.3 = try input.word("kinds")
    let from: UInt64 = try input.word("keyframe")
    guard from == .max || from < firstSequence else {
      throw ChunkDamage(
        "keyframe",
        found: from,
        expected: "a sequence before the chunk",
        at: input.position - 8
      )
    }
    self.init(
      writer: writer,
      attributes: try WriterAttributes(from: &input),
      firstSequence: firstSequence,
      keyframe: from == .max ? .full : .continued(from: from)
    )
    eventCount = Int(count)
    self.firstTime = firstTime
    self.lastTime = lastTime
    self.kinds = kinds
    losses = try ChunkHeader.losses(from: &input)
    clocks = try ChunkHeader.clocks(from: &input)
    consumed = try ChunkHeader.consumed(from: &input)
    let filterAt = input.position
    let filter = try input.block("name filter", max: NameFilter.bytesMax)
    guard let nameFilter = NameFilter(bytes: filter) else {
      throw ChunkDamage(
        "name filter bytes",
        found: UInt64(filter.count),
        expected: "a power of two",
        at: filterAt
      )
    }
    self.nameFilter = nameFilter
    for tag in try HeaderTag.decode(from: &input) {
      if tag.number < HeaderTag.firstOfChunk {
        try attributes.take(tag)
      } else {
        try take(tag)
      }
    }
  }

  private static func losses(from input: inout ByteReader) throws(ChunkDamage) -> [LossCount] {
    var losses: [LossCount] = []
    for _ in 0..<(try input.count("losses", max: 256, bytesEach: 2)) {
      let family = EventFamily(rawValue: try input.byte("lost family")) ?? .unknown
      losses.append(LossCount(family: family, count: try input.varint("lost events")))
    }
    return losses
  }

  private static func clocks(from input: inout ByteReader) throws(ChunkDamage) -> [ClockBracket] {
    var clocks: [ClockBracket] = []
    for _ in 0..<(try input.count("clocks", max: Chunk.clocksMax, bytesEach: 32)) {
      clocks.append(
        ClockBracket(
          tick: try input.word("tick"),
          monotonic: Int64(bitPattern: try input.word("monotonic")),
          boottime: Int64(bitPattern: try input.word("boottime")),
          real: Int64(bitPattern: try input.word("real"))
        )
      )
    }
    return clocks
  }

  private static func consumed(
    from input: inout ByteReader
  ) throws(ChunkDamage) -> [ConsumedPosition] {
    var consumed: [ConsumedPosition] = []
    for _ in 0..<(try input.count("consumed blocks", max: 1 << 18, bytesEach: 2)) {
      let serial = try input.varint("block serial")
      let records = try input.count("records consumed", max: Int(UInt32.max))
      consumed.append(ConsumedPosition(serial: serial, records: UInt32(records)))
    }
    return consumed
  }
}
