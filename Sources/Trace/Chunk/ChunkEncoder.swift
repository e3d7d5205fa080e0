// SPDX-License-Identifier: Apache-2.0

/// A chunk before compression: its header and its columns.
public struct EncodedChunk: Sendable {
  /// The header, complete but for lengths and checksums.
  public var header: ChunkHeader
  /// Tables, keyframe and columns.
  public var payload: [UInt8]
  /// Where a compressor should begin a new block: columns of different statistics meet there.
  public var cuts: [Int]
}

/// Turns events of one stream into a chunk of columns.
///
///     var encoder = ChunkEncoder()
///     encoder.append(event)                                   // up to Chunk.rowsMax times
///     let chunk = encoder.finish(header: header, keyframe: state, names: names)
///
/// Events are kept as they come and turned into columns at the end: one pass a column, each in a
/// tight loop. Values are grouped by kind, because what follows a kind is alike; most columns
/// are constant and take two bytes.
public struct ChunkEncoder: Sendable {
  @usableFromInline var rows: [Event] = []
  private var localNames = LocalIDs()
  private var localSites = LocalIDs()

  /// An encoder without events.
  public init() {}

  /// How many events wait for ``finish(header:keyframe:names:)``.
  @inlinable public var count: Int { rows.count }

  /// No further event may be appended.
  @inlinable public var isFull: Bool { rows.count >= Chunk.rowsMax }

  /// Adds the next event of the stream.
  ///
  /// Its position gives its sequence; ids are of the names given at the end.
  @inlinable
  public mutating func append(_ event: borrowing Event) {
    precondition(rows.count < Chunk.rowsMax, "a full chunk must be finished")
    rows.append(copy event)
  }

  /// The events that were appended, from the one at `index` on.
  package func events(from index: Int) -> ArraySlice<Event> { rows[index...] }

  /// The events that were appended, as a chunk; the encoder is empty again.
  ///
  /// Fills in count, times, kinds and name filter of the header.
  public mutating func finish(
    header: ChunkHeader,
    keyframe: [UInt8],
    names: borrowing Names
  ) -> EncodedChunk {
    finish(header, names: names) { _ in (header.keyframe, keyframe) }
  }

  /// The same, with a keyframe that is chosen when it is known how many bytes the payload has
  /// without it.
  package mutating func finish(
    _ header: ChunkHeader,
    names: borrowing Names,
    keyframe: (_ payloadBytes: Int) -> (place: KeyframePlace, bytes: [UInt8])
  ) -> EncodedChunk {
    precondition(!rows.isEmpty, "a chunk holds at least one event")
    precondition(header.firstSequence <= UInt64.max - UInt64(Chunk.rowsMax))
    localNames.reserve(names.strings.count)
    localSites.reserve(names.sites.count)
    let chunk = rows.withUnsafeBufferPointer {
      encode($0, header, names: names, keyframe: keyframe)
    }
    localNames.reset()
    localSites.reset()
    rows.removeAll(keepingCapacity: true)
    return chunk
  }

  private mutating func encode(
    _ events: UnsafeBufferPointer<Event>,
    _ header: ChunkHeader,
    names: borrowing Names,
    keyframe: (Int) -> (place: KeyframePlace, bytes: [UInt8])
  ) -> EncodedChunk {
    var columns = ChunkColumns(rows: events)
    defer { columns.free() }
    columns.build(names: names, localNames: &localNames, localSites: &localSites)

    var header = header
    header.eventCount = events.count
    (header.firstTime, header.lastTime) = columns.times
    header.kinds = KindSet(columns.kinds.map(\.kind))
    let hasMessages = header.kinds.contains(.messageSend) || header.kinds.contains(.messageReceive)
    header.messages = hasMessages ? Self.messages(of: events) : nil

    let sites = localSites.globals.map { names[SiteID(rawValue: $0)] }
    var tables = ChunkTables()
    let eventNames = sites.reduce(into: localNames) { locals, site in
      _ = locals.local(UInt64(site.name.rawValue))
      _ = locals.local(UInt64(site.file.rawValue))
    }
    header.nameFilter = NameFilter(expecting: eventNames.globals.count)
    for id in eventNames.globals {
      let string = names[NameID(rawValue: id)]
      header.nameFilter.insert(string)
      tables.add(string)
    }
    tables.write(sites: sites) { eventNames.known(UInt64($0.rawValue)) }
    tables.write(kinds: columns.kinds)
    tables.write(threads: columns.threads)

    let payloadBytes = tables.byteCount + columns.directory.count + columns.byteCount
    let (place, keyframe) = keyframe(payloadBytes)
    precondition(keyframe.count <= Chunk.keyframeBytesMax, "the keyframe is too large")
    header.keyframe = place

    var head = ByteWriter()
    head.bytes.reserveCapacity(tables.byteCount + columns.directory.count + keyframe.count + 1_024)
    tables.finish(into: &head)
    var cuts = [head.count]
    head.block(keyframe)
    head.varint(events.count)
    head.bytes.append(contentsOf: columns.directory.bytes)
    cuts.append(head.count)
    cuts.append(contentsOf: columns.cuts.map { $0 + head.count })
    let payload = columns.payload(behind: head.bytes)
    precondition(payload.count <= Chunk.payloadBytesMax)
    return EncodedChunk(header: header, payload: payload, cuts: cuts)
  }
}

extension ChunkEncoder {
  private static func messages(of events: UnsafeBufferPointer<Event>) -> [MessageEdge] {
    var messages = MessageEdge.Finder()
    for event in events { messages.add(event) }
    return messages.found
  }
}

/// Small numbers for the ids that one chunk uses: 0 stays 0, others count up from 1.
struct LocalIDs: Sendable {
  /// The ids in order of their local numbers, from 1.
  private(set) var globals: [UInt32] = []
  private var locals: [UInt32] = []

  /// Ids below `count` are valid.
  mutating func reserve(_ count: Int) {
    if locals.count < count {
      locals.append(contentsOf: repeatElement(0, count: count - locals.count))
    }
  }

  /// The number of `id`, new or known; 0 for an id that its table never gave out.
  @inline(__always)
  mutating func local(_ id: UInt64) -> UInt64 {
    if id == 0 || id >= UInt64(locals.count) { return 0 }
    let known = locals[Int(id)]
    if known != 0 { return UInt64(known) }
    globals.append(UInt32(id))
    locals[Int(id)] = UInt32(globals.count)
    return UInt64(globals.count)
  }

  /// The number of an id that has one.
  func known(_ id: UInt64) -> Int { id < UInt64(locals.count) ? Int(locals[Int(id)]) : 0 }

  /// Forgets all numbers, at the cost of those given out.
  mutating func reset() {
    for id in globals { locals[Int(id)] = 0 }
    globals.removeAll(keepingCapacity: true)
  }
}
