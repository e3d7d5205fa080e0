// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Where a chunk is and what it covers: enough to choose it without reading it.
///
/// The parts of its ``summary`` are parts of it.
@dynamicMemberLookup
public struct ChunkInfo: Hashable, Sendable {
  /// The stream it is a part of.
  public var stream: StreamID
  /// The byte at which its header begins.
  public var offset: UInt64
  /// The events and times that the chunk covers.
  public var summary: ChunkSummary
  /// Bytes of its header frame.
  public var headerBytes: Int
  /// Bytes of its payload frame.
  public var payloadBytes: Int
  /// How many of its first events stand in another chunk: the summary is of the others, and only
  /// those are handed out.
  public internal(set) var skipped = 0

  let rawBytes: Int
  let headerChecksum: UInt32
  let payloadChecksum: UInt32

  /// A part of the summary.
  public subscript<Part>(dynamicMember part: WritableKeyPath<ChunkSummary, Part>) -> Part {
    get { summary[keyPath: part] }
    set { summary[keyPath: part] = newValue }
  }

  /// A part of the summary that follows from the others.
  public subscript<Part>(dynamicMember part: KeyPath<ChunkSummary, Part>) -> Part {
    summary[keyPath: part]
  }

  /// The byte behind it.
  public var endOffset: UInt64 { offset + UInt64(headerBytes) + UInt64(payloadBytes) }

  init(_ frame: ChunkFrame, at offset: UInt64, stream: StreamID) {
    self.stream = stream
    self.offset = offset
    summary = ChunkSummary(frame.header)
    headerBytes = frame.headerBytes
    payloadBytes = frame.payloadBytes
    rawBytes = frame.rawBytes
    headerChecksum = frame.headerChecksum
    payloadChecksum = frame.payloadChecksum
  }

  /// What the footer says of the chunk, in the order of its fields.
  init(
    from input: inout ByteReader,
    stream: StreamID,
    offset: UInt64,
    kindSets: [KindSet]
  ) throws(ChunkDamage) {
    self.stream = stream
    self.offset = offset
    headerBytes = try input.count("header bytes", max: Chunk.headerBytesMax)
    payloadBytes = try input.count("payload bytes", max: Chunk.compressedBytesMax)
    rawBytes = try input.count("raw bytes", max: Chunk.payloadBytesMax)
    headerChecksum = try input.word("header checksum")
    payloadChecksum = try input.word("payload checksum")
    let firstSequence = try input.varint("first sequence")
    let eventCount = try input.count("events", max: Chunk.rowsMax)
    let firstTime = HostTime(rawValue: try input.signed("first time"))
    let lastTime = firstTime.advanced(by: Int64(clamping: try input.varint("time span")))
    let kinds = kindSets[try input.count("kind set", max: kindSets.count - 1)]
    let continued = try input.varint("keyframe")
    summary = ChunkSummary(
      firstSequence: firstSequence,
      eventCount: eventCount,
      firstTime: firstTime,
      lastTime: lastTime,
      kinds: kinds,
      keyframe: continued == 0 ? .full : .continued(from: firstSequence &- continued)
    )
    for _ in 0..<(try input.count("losses", max: 256, bytesEach: 2)) {
      let family = EventFamily(rawValue: try input.byte("family")) ?? .unknown
      summary.losses.append(LossCount(family: family, count: try input.varint("lost")))
    }
  }

  func encode(into out: inout ByteWriter, kindSet: Int) {
    out.varint(headerBytes)
    out.varint(payloadBytes)
    out.varint(rawBytes)
    out.word(headerChecksum)
    out.word(payloadChecksum)
    out.varint(summary.firstSequence)
    out.varint(summary.eventCount)
    out.signed(summary.firstTime.rawValue)
    out.varint(UInt64(bitPattern: summary.lastTime - summary.firstTime))
    out.varint(kindSet)
    switch summary.keyframe {
    case .full: out.varint(0)
    case .continued(let from): out.varint(summary.firstSequence &- from)
    }
    out.varint(summary.losses.count)
    for loss in summary.losses {
      out.byte(loss.family.rawValue)
      out.varint(loss.count)
    }
  }

  /// Whether the two have the same bytes, as far as checksums show.
  func isCopy(of other: ChunkInfo) -> Bool {
    headerChecksum == other.headerChecksum && payloadChecksum == other.payloadChecksum
      && headerBytes == other.headerBytes && payloadBytes == other.payloadBytes
  }
}

/// What happened to one writer: its chunks in sequence order.
public struct TraceStream: Hashable, Sendable {
  /// Its number in the reader.
  public let id: StreamID
  /// The writer whose stream it is.
  public let writer: WriterID
  /// What its latest chunk says of the writer.
  public internal(set) var attributes: WriterAttributes
  /// Its chunks, in sequence order, without duplicates.
  public internal(set) var chunks: [ChunkInfo] = []

  /// How many events are in the chunks.
  public var eventCount: Int { chunks.reduce(0) { $0 + $1.eventCount } }

  /// The least time of an event; the start of the process when there is none.
  public var firstTime: HostTime { chunks.map(\.firstTime).min() ?? attributes.started }

  /// The greatest time of an event.
  public var lastTime: HostTime { chunks.map(\.lastTime).max() ?? attributes.started }

  /// The writer in a few words: `notes (pid 4711)`.
  var title: String {
    let name = attributes.app.isEmpty ? attributes.process : attributes.app
    let pid = attributes.pid == 0 ? "" : " (pid \(attributes.pid))"
    return (name.isEmpty ? "stream \(id.rawValue)" : Printable.line(name)) + pid
  }

  /// Whether its recording ended well.
  public var hasEnd: Bool { chunks.last?.kinds.contains(.end) ?? false }
}
