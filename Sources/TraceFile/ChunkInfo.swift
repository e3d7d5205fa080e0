// SPDX-License-Identifier: Apache-2.0
public import Trace

/// Where a chunk is and what it covers: enough to choose it without reading it.
public struct ChunkInfo: Hashable, Sendable {
  /// The stream it is a part of.
  public var stream: StreamID
  /// The byte at which its header begins.
  public var offset: UInt64
  /// The sequence of its first event.
  public var firstSequence: UInt64
  /// How many events.
  public var eventCount: Int
  /// The least time of an event.
  public var firstTime: HostTime
  /// The greatest time of an event.
  public var lastTime: HostTime
  /// Which kinds are present.
  public var kinds: KindSet
  /// Where the state before its first event is.
  public var keyframe: KeyframePlace
  /// What was lost between the previous chunk and this one.
  public var losses: [LossCount]
  /// How many events are missing between the stream's previous chunk in the file and this one.
  ///
  /// Damage, or a part that was cut out; not what a recording that keeps only its last part has
  /// let go. Filled in by the reader.
  public var missingBefore: UInt64 = 0
  /// Bytes of its header frame.
  public var headerBytes: Int
  /// Bytes of its payload frame.
  public var payloadBytes: Int

  /// Whether it only says how many events were lost that a damaged chunk held; see ``TraceCopy``.
  public var isStandIn: Bool {
    eventCount == 1 && kinds == KindSet([.loss]) && losses.contains { $0.family == .unknown }
  }

  let rawBytes: Int
  let headerChecksum: UInt32
  let payloadChecksum: UInt32

  /// The sequence after the last event.
  public var endSequence: UInt64 { firstSequence &+ UInt64(eventCount) }

  /// The byte behind it.
  public var endOffset: UInt64 { offset + UInt64(headerBytes) + UInt64(payloadBytes) }

  init(_ frame: ChunkFrame, at offset: UInt64, stream: StreamID) {
    self.stream = stream
    self.offset = offset
    firstSequence = frame.header.firstSequence
    eventCount = frame.header.eventCount
    firstTime = frame.header.firstTime
    lastTime = frame.header.lastTime
    kinds = frame.header.kinds
    keyframe = frame.header.keyframe
    losses = frame.header.losses
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
    firstSequence = try input.varint("first sequence")
    eventCount = try input.count("events", max: Chunk.rowsMax)
    firstTime = HostTime(rawValue: try input.signed("first time"))
    lastTime = firstTime.advanced(by: Int64(clamping: try input.varint("time span")))
    kinds = kindSets[try input.count("kind set", max: kindSets.count - 1)]
    let continued = try input.varint("keyframe")
    keyframe = continued == 0 ? .full : .continued(from: firstSequence &- continued)
    losses = []
    for _ in 0..<(try input.count("losses", max: 256, bytesEach: 2)) {
      let family = EventFamily(rawValue: try input.byte("family")) ?? .unknown
      losses.append(LossCount(family: family, count: try input.varint("lost")))
    }
  }

  func encode(into out: inout ByteWriter, kindSet: Int) {
    out.varint(headerBytes)
    out.varint(payloadBytes)
    out.varint(rawBytes)
    out.word(headerChecksum)
    out.word(payloadChecksum)
    out.varint(firstSequence)
    out.varint(eventCount)
    out.signed(firstTime.rawValue)
    out.varint(UInt64(bitPattern: lastTime - firstTime))
    out.varint(kindSet)
    switch keyframe {
    case .full: out.varint(0)
    case .continued(let from): out.varint(firstSequence &- from)
    }
    out.varint(losses.count)
    for loss in losses {
      out.byte(loss.family.rawValue)
      out.varint(loss.count)
    }
  }

  /// Whether the two have the same bytes, as far as checksums tell.
  func isCopy(of other: ChunkInfo) -> Bool {
    headerChecksum == other.headerChecksum && payloadChecksum == other.payloadChecksum
      && headerBytes == other.headerBytes && payloadBytes == other.payloadBytes
  }
}

/// What happened to one writer: its chunks in sequence order.
public struct TraceStream: Sendable {
  /// Its number in the reader.
  public let id: StreamID
  /// Whose stream it is.
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

  /// Whose it is, in a few words: `notes (pid 4711)`.
  var title: String {
    let name = attributes.app.isEmpty ? attributes.process : attributes.app
    let pid = attributes.pid == 0 ? "" : " (pid \(attributes.pid))"
    return (name.isEmpty ? "stream \(id.rawValue)" : Printable.line(name)) + pid
  }

  /// Whether its recording ended well.
  public var hasEnd: Bool { chunks.last?.kinds.contains(.end) ?? false }
}
