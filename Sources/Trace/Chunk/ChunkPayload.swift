// SPDX-License-Identifier: Apache-2.0

/// A chunk as readers hand it out: everything in it, ids of the reader's ``Names``.
public struct DecodedChunk: Sendable {
  /// What the chunk says about itself.
  public var header: ChunkHeader
  /// The folded state before the first event; empty when the header says where to find it.
  public var keyframe: [UInt8]
  /// The events, in sequence order.
  public var events: [Event]

  /// Puts the parts together.
  public init(header: ChunkHeader, keyframe: [UInt8], events: [Event]) {
    self.header = header
    self.keyframe = keyframe
    self.events = events
  }
}

/// A decompressed chunk whose tables are read and whose rows decode stride by stride.
///
///     let payload = try ChunkPayload(header: header, payload: bytes, names: &names, stream: stream)
///     let events = try payload.decode()
///
/// Reading the tables interns the chunk's strings in `names`, where they take much room only those
/// that its rows use; a stride of rows costs some nanoseconds an event. Nothing in the bytes is
/// believed: counts are bounded, ids compared with their tables, columns must fill the payload
/// exactly, times must be those of the header.
public struct ChunkPayload {
  /// What the chunk says about itself.
  public let header: ChunkHeader
  /// The folded state before the first event.
  public let keyframe: [UInt8]
  /// The kinds in the chunk, as it describes them.
  public let kinds: [KindInfo]
  /// The bytes of the payload.
  package let bytes: [UInt8]
  let stream: StreamID
  private(set) var globalNames: [UInt32]
  private(set) var globalSites: [UInt32]
  /// For each local site, which labels are names.
  let labelMasks: [UInt16]
  let threads: [UInt32]
  let layout: ChunkLayout

  /// How many strides the rows fall into.
  public var strideCount: Int { Chunk.strides(rows: header.eventCount) }

  /// Reads the tables of `payload`.
  public init(
    header: ChunkHeader,
    payload: [UInt8],
    names: inout Names,
    stream: StreamID = StreamID(rawValue: 0)
  ) throws(ChunkDamage) {
    guard payload.count <= Chunk.payloadBytesMax else {
      throw ChunkDamage(
        "payload bytes",
        found: UInt64(payload.count),
        expected: "at most \(Chunk.payloadBytesMax)",
        at: 0
      )
    }
    self.header = header
    self.stream = stream
    bytes = payload
    var input = ByteReader(payload)
    var strings = try LocalStrings(from: &input)
    let isPlain = strings.byteCount <= Chunk.stringsBytesPlain
    if isPlain { strings.internAll(in: &names) }
    let sites = try TableReader.sites(from: &input, strings: strings)
    labelMasks = sites.map(\.nameLabels)
    kinds = try TableReader.kinds(from: &input, strings: &strings, names: &names)
    guard KindSet(kinds.map(\.kind)) == header.kinds else {
      throw ChunkDamage(
        "kind table",
        found: UInt64(kinds.count),
        expected: "the kinds that the header names",
        at: input.position
      )
    }
    threads = try TableReader.threads(from: &input, rows: header.eventCount)
    keyframe = try input.block("keyframe", max: Chunk.keyframeBytesMax)
    layout = try ChunkLayout(
      from: &input,
      rows: header.eventCount,
      kinds: kinds,
      threads: threads.count
    )
    globalNames = []
    globalSites = [0]
    if isPlain {
      globalSites += sites.dropFirst().map { $0.id(&strings, in: &names).rawValue }
    } else {
      let used = used(strings: strings.count, sites: sites.count)
      for local in used.strings.indices where used.strings[local] {
        _ = strings.id(of: local, in: &names)
      }
      globalSites += sites.indices.dropFirst().map { local in
        used.sites[local] ? sites[local].id(&strings, in: &names).rawValue : 0
      }
    }
    globalNames = strings.ids
  }

  /// Lets its rows decode to local numbers.
  mutating func number(strings: Int, sites: Int) {
    globalNames = (0..<strings).map { UInt32($0) }
    globalSites = (0..<sites).map { UInt32($0) }
  }
}
