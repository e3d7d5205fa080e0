// SPDX-License-Identifier: Apache-2.0

/// The one place that reads columns through unsafe pointers.
///
/// Safe because ``ChunkLayout`` has checked that every column lies inside the payload, because
/// rows of a stride are counted from the same bytes that place them, and because every number
/// that indexes a table is compared with the table's size here. The pointers live for one call.
///
/// A stride is worked through in the order that touches the events least. Values that are the same
/// in all rows of a kind are put into one template for the kind. Then each row is written once,
/// with its time and thread. Then come the columns that differ from row to row.
struct StrideDecoder {
  /// By pointer, so that closures over this value count no references to its arrays.
  let payload: UnsafePointer<ChunkPayload>
  let bytes: UnsafePointer<UInt8>
  /// Where the columns of each kind lie; too large to be copied for each kind and stride.
  let places: UnsafePointer<KindPlace>
  /// The rows of the stride.
  let events: UnsafeMutablePointer<Event>
  let space: Space
  let stride: Int
  let rows: Int
  /// Labelled arguments need the chunk's own number of each row's site.
  let hasLabels: Bool
  /// A number that was out of its table, for the error.
  var wrong: (part: StaticString, found: UInt64, limit: Int)?

  static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
  static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0

  /// Decodes one stride of `payload` into `events`, which has room for its rows; or, where it is
  /// given, only their times into `times`.
  ///
  /// `bytes` and `places` are those of the payload.
  static func decode(
    _ payload: UnsafePointer<ChunkPayload>,
    bytes: UnsafePointer<UInt8>,
    places: UnsafePointer<KindPlace>,
    stride: Int,
    into events: UnsafeMutablePointer<Event>,
    rows: Int,
    space: UnsafeMutableRawPointer,
    times: UnsafeMutablePointer<Int64>?
  ) throws(ChunkDamage) {
    var decoder = StrideDecoder(
      payload: payload,
      bytes: bytes,
      places: places,
      events: events,
      space: Space(space),
      stride: stride,
      rows: rows
    )
    if let times { try decoder.runTimes(into: times) } else { try decoder.run() }
  }

  /// What ``decode(_:bytes:places:stride:into:rows:space:times:)`` needs to work in.
  static let spaceBytes = Space.bytesPerRow * Chunk.strideRows

  /// What is kept of each row beside its event.
  struct Space {
    /// Rows of the stride by kind; kind k has `positions + starts[k]`.
    let positions: UnsafeMutablePointer<UInt16>
    /// Rows with a column entry of their own.
    let some: UnsafeMutablePointer<UInt16>
    /// The begin that was open before this one.
    let older: UnsafeMutablePointer<Int32>
    /// The chunk's own number of the site.
    let sites: UnsafeMutablePointer<UInt32>
    /// By place in `positions`, the time since the row before, or all ones for a wide one.
    let differences: UnsafeMutablePointer<UInt32>

    static let bytesPerRow = 16

    init(_ space: UnsafeMutableRawPointer) {
      let rows = Chunk.strideRows
      positions = space.assumingMemoryBound(to: UInt16.self)
      some = positions + rows
      older = (space + 4 * rows).assumingMemoryBound(to: Int32.self)
      sites = (space + 8 * rows).assumingMemoryBound(to: UInt32.self)
      differences = (space + 12 * rows).assumingMemoryBound(to: UInt32.self)
    }
  }

  init(
    payload: UnsafePointer<ChunkPayload>,
    bytes: UnsafePointer<UInt8>,
    places: UnsafePointer<KindPlace>,
    events: UnsafeMutablePointer<Event>,
    space: Space,
    stride: Int,
    rows: Int
  ) {
    self.payload = payload
    self.bytes = bytes
    self.places = places
    self.events = events
    self.space = space
    self.stride = stride
    self.rows = rows
    hasLabels = payload.pointee.kinds.indices.contains {
      places[$0].arity > payload.pointee.kinds[$0].fields.count
    }
  }

  mutating func run() throws(ChunkDamage) {
    let kinds = payload.pointee.kinds.indices
    var starts: [Int] = []
    var start = 0
    for kind in kinds {
      starts.append(start)
      start += places[kind].rowsBefore.count(in: stride)
    }
    starts.append(start)
    try writeRows(starts)
    for kind in kinds where starts[kind] < starts[kind + 1] {
      sitesAndIdentities(kind, rows: starts[kind]..<starts[kind + 1])
    }
    for pair in payload.pointee.layout.pairs.pairs where starts[pair.end] < starts[pair.end + 1] {
      match(
        begins: starts[pair.begin]..<starts[pair.begin + 1],
        ends: starts[pair.end]..<starts[pair.end + 1],
        codes: bytes + (places[pair.end].codes ?? 0) + places[pair.end].rowsBefore[stride]
      )
    }
    for kind in kinds where starts[kind] < starts[kind + 1] {
      shapesAndArguments(kind, rows: starts[kind]..<starts[kind + 1])
    }
    if let wrong {
      throw ChunkDamage(
        "\(wrong.part)",
        found: wrong.found,
        expected: "below \(wrong.limit)",
        at: payload.pointee.layout.kindColumn
      )
    }
  }

  /// What all rows of a kind have in common.
  mutating func template(_ kind: Int) -> Event {
    let place = places + kind
    let fields = payload.pointee.kinds[kind].fields
    var event = Event(
      payload.pointee.kinds[kind].kind,
      at: HostTime(rawValue: 0),
      stream: payload.pointee.stream
    )
    if place.pointee.shape.mode == .constant { setShape(place.pointee.shape.base, of: &event) }
    for argument in 0..<place.pointee.arity
    where place.pointee.arguments[argument].mode == .constant {
      let isName = argument < fields.count && fields[argument].type == .name
      event[argument] = constant(place.pointee.arguments[argument], isName: isName)
    }
    guard place.pointee.codes == nil else { return event }
    if place.pointee.site.mode == .constant { event.site = site(place.pointee.site.base) }
    if place.pointee.identity.mode == .constant {
      event.identity = constant(
        place.pointee.identity,
        isName: payload.pointee.kinds[kind].isNameIdentity
      )
    }
    return event
  }

  mutating func constant(_ column: ColumnPlace, isName: Bool) -> UInt64 {
    guard isName else { return column.base }
    guard column.base < UInt64(payload.pointee.globalNames.count) else {
      wrong = ("string number", column.base, payload.pointee.globalNames.count)
      return 0
    }
    return UInt64(payload.pointee.globalNames[Int(column.base)])
  }

  mutating func site(_ local: UInt64) -> SiteID {
    guard local < UInt64(payload.pointee.globalSites.count) else {
      wrong = ("site number", local, payload.pointee.globalSites.count)
      return .none
    }
    return SiteID(rawValue: payload.pointee.globalSites[Int(local)])
  }

  mutating func setShape(_ shape: UInt64, of event: inout Event) {
    event.observerCode = UInt8(truncatingIfNeeded: shape)
    event.flags = EventFlags(rawValue: UInt8(truncatingIfNeeded: shape >> 8))
    event.argumentCount = UInt8(truncatingIfNeeded: shape >> 16)
    if shape >> 16 > UInt64(Event.argumentsMax) {
      wrong = ("argument count", shape >> 16, Event.argumentsMax + 1)
    }
  }
}
