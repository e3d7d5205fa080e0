// SPDX-License-Identifier: Apache-2.0

/// A value that stands behind the fixed parts of a header, by the number of what it is.
///
/// A reader skips numbers that it does not know, and whoever writes the header anew keeps them: so a
/// version can say more without one before it being lost.
public struct HeaderTag: Hashable, Sendable {
  /// What it is; numbers below ``firstOfChunk`` speak of the writer, and stand in the index too.
  public var number: UInt64
  /// Its bytes.
  public var value: [UInt8]

  /// The value of a number.
  public init(_ number: UInt64, _ value: [UInt8]) {
    self.number = number
    self.value = value
  }

  /// From here on numbers speak of one chunk.
  public static let firstOfChunk: UInt64 = 32
  /// The most of them in a header.
  public static let tagsMax = 64

  /// The numbers that this version knows.
  enum Known: UInt64 {
    case session = 1
    case run = 2
    case machine = 3
    case recorder = 4
    case widths = 32
    case fit = 33
    /// As versions before wrote them.
    case messagesInVarints = 34
    case messages = 35
  }

  init(_ number: Known, _ value: [UInt8]) { self.init(number.rawValue, value) }

  init(_ number: Known, _ id: WideID) {
    var out = ByteWriter()
    out.word(id.high)
    out.word(id.low)
    self.init(number, out.bytes)
  }

  /// Its value as 128 bits.
  func id() throws(ChunkDamage) -> WideID {
    guard value.count == 16 else { throw damage("16 bytes") }
    var input = ByteReader(value)
    return WideID(high: try input.word("id"), low: try input.word("id"))
  }

  /// Its value as text.
  func text(max: Int) throws(ChunkDamage) -> String {
    guard value.count <= max, let text = String(validating: value, as: UTF8.self) else {
      throw damage("at most \(max) bytes of UTF-8")
    }
    return text
  }

  func damage(_ expected: String) -> ChunkDamage {
    ChunkDamage("bytes of tag \(number)", found: UInt64(value.count), expected: expected, at: 0)
  }

  /// Writes `tags`, in order of their numbers, without a count: they reach to the end of what holds them.
  static func encode(_ tags: some Sequence<HeaderTag>, into out: inout ByteWriter) {
    for tag in tags.sorted(by: { $0.number < $1.number }) {
      out.varint(tag.number)
      out.block(tag.value)
    }
  }

  /// Reads tags up to the end of `input`.
  static func decode(from input: inout ByteReader) throws(ChunkDamage) -> [HeaderTag] {
    var tags: [HeaderTag] = []
    while input.remaining > 0 {
      let at = input.position
      let number = try input.varint("tag")
      guard tags.last.map({ $0.number < number }) ?? true, tags.count < tagsMax else {
        throw ChunkDamage(
          "tag",
          found: number,
          expected: "at most \(tagsMax) of them, each greater than the one before",
          at: at
        )
      }
      tags.append(HeaderTag(number, try input.block("tag value", max: input.remaining)))
    }
    return tags
  }
}

extension WriterAttributes {
  /// What of them stands in tags.
  var tags: [HeaderTag] {
    var tags = unknownTags
    if let id = origin.session { tags.append(HeaderTag(.session, id)) }
    if !origin.run.isEmpty {
      let run = origin.run.cut(toBytes: RecordingOrigin.runBytesMax)
      tags.append(HeaderTag(.run, Array(run.utf8)))
    }
    if let id = origin.machine { tags.append(HeaderTag(.machine, id)) }
    if let id = origin.recorder { tags.append(HeaderTag(.recorder, id)) }
    return tags
  }

  /// Takes a tag that speaks of a writer; keeps what it does not know.
  mutating func take(_ tag: HeaderTag) throws(ChunkDamage) {
    switch HeaderTag.Known(rawValue: tag.number) {
    case .session: origin.session = try tag.id()
    case .run: origin.run = try tag.text(max: RecordingOrigin.runBytesMax)
    case .machine: origin.machine = try tag.id()
    case .recorder: origin.recorder = try tag.id()
    case nil, .widths, .fit, .messagesInVarints, .messages: unknownTags.append(tag)
    }
  }

  /// Writes what of them stands in tags as a block, for the index.
  package func encodeTags(into out: inout ByteWriter) {
    var own = ByteWriter()
    HeaderTag.encode(tags, into: &own)
    out.block(own.bytes)
  }

  /// Reads what ``encodeTags(into:)`` wrote.
  package mutating func decodeTags(from input: inout ByteReader) throws(ChunkDamage) {
    var own = ByteReader(try input.block("writer tags", max: Chunk.headerBytesMax))
    for tag in try HeaderTag.decode(from: &own) { try take(tag) }
  }
}

extension ChunkHeader {
  /// What of it stands in tags.
  var tags: [HeaderTag] {
    var tags = unknownTags
    func add(_ number: HeaderTag.Known, _ write: (inout ByteWriter) -> Void) {
      var out = ByteWriter()
      write(&out)
      tags.append(HeaderTag(number, out.bytes))
    }
    let widths = clocks.prefix(Chunk.clocksMax).map(\.width)
    if widths.contains(where: { $0 > 0 }) {
      add(.widths) { for width in widths { $0.varint(width) } }
    }
    if !fit.isEmpty {
      add(.fit) { for piece in fit.prefix(Chunk.clocksMax) { piece.encode(into: &$0) } }
    }
    if let messages { add(.messages) { messages.encode(from: firstTime, into: &$0) } }
    return tags
  }

  /// Takes a tag that speaks of the chunk; keeps what it does not know.
  mutating func take(_ tag: HeaderTag) throws(ChunkDamage) {
    var input = ByteReader(tag.value)
    switch HeaderTag.Known(rawValue: tag.number) {
    case .widths:
      for index in clocks.indices { clocks[index].width = try input.varint("bracket width") }
    case .fit:
      while input.remaining > 0 {
        guard fit.count < Chunk.clocksMax else { throw tag.damage("\(Chunk.clocksMax) pieces") }
        fit.append(try ClockPiece(from: &input))
      }
    case .messagesInVarints:
      messages = try [MessageEdge](fromVarints: &input, rows: eventCount)
    case .messages:
      guard messages == nil else { throw tag.damage("one table of messages") }
      messages = try [MessageEdge](from: &input, rows: eventCount, first: firstTime)
    default: return unknownTags.append(tag)
    }
    guard input.remaining == 0 else { throw tag.damage("\(input.remaining) fewer") }
  }
}

extension ClockPiece {
  fileprivate func encode(into out: inout ByteWriter) {
    out.word(tick)
    out.word(UInt64(bitPattern: nanoseconds))
    out.word(rate)
    out.varint(UInt64(run))
  }

  fileprivate init(from input: inout ByteReader) throws(ChunkDamage) {
    self.init(
      tick: try input.word("tick of a piece"),
      nanoseconds: Int64(bitPattern: try input.word("time of a piece")),
      rate: try input.word("rate of a piece"),
      run: UInt32(try input.count("run of a piece", max: Int(UInt32.max)))
    )
  }
}
