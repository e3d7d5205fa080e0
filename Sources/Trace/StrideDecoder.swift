// SPDX-License-Identifier: Apache-2.0

/// The one place that reads columns through unsafe pointers.
///
/// Safe because ``ChunkLayout`` has checked that every column lies inside the payload, because
/// rows of a stride are counted from the same bytes that place them, and because every number
/// that indexes a table is compared with the table's size here. The pointers live for one call.
///
/// A stride is worked through in the order that touches the events least: what is the same in all
/// rows of a kind is put into one template a kind; then each row is written once, with its time
/// and thread; then come the columns that differ from row to row.
struct StrideDecoder {
  private let payload: ChunkPayload
  private let bytes: UnsafePointer<UInt8>
  /// The rows of the stride.
  private let events: UnsafeMutablePointer<Event>
  private let space: Space
  private let stride: Int
  private let rows: Int
  /// Labelled arguments need the chunk's own number of each row's site.
  private let hasLabels: Bool
  /// The greatest number that was out of its table, for the error.
  private var wrong: (part: StaticString, found: UInt64, limit: Int)?

  private static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
  private static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0

  /// Decodes one stride of `payload` into `events`, which has room for its rows.
  static func decode(
    _ payload: ChunkPayload,
    bytes: UnsafePointer<UInt8>,
    stride: Int,
    into events: UnsafeMutablePointer<Event>,
    rows: Int,
    space: UnsafeMutableRawPointer
  ) throws(ChunkDamage) {
    var decoder = StrideDecoder(
      payload: payload,
      bytes: bytes,
      events: events,
      space: Space(space),
      stride: stride,
      rows: rows
    )
    try decoder.run()
  }

  /// What ``decode(_:bytes:stride:into:rows:space:)`` needs to work in.
  static let spaceBytes = Space.bytesPerRow * Chunk.strideRows

  /// What is kept of each row beside its event.
  private struct Space {
    /// Rows of the stride by kind; kind k has `positions + starts[k]`.
    let positions: UnsafeMutablePointer<UInt16>
    /// Rows with a column entry of their own.
    let some: UnsafeMutablePointer<UInt16>
    /// The begin that was open before this one.
    let older: UnsafeMutablePointer<Int32>
    /// Time since the row before.
    let differences: UnsafeMutablePointer<UInt32>
    /// The chunk's own number of the site.
    let sites: UnsafeMutablePointer<UInt32>

    static let bytesPerRow = 16

    init(_ space: UnsafeMutableRawPointer) {
      let rows = Chunk.strideRows
      positions = space.assumingMemoryBound(to: UInt16.self)
      some = positions + rows
      older = (space + 4 * rows).assumingMemoryBound(to: Int32.self)
      differences = (space + 8 * rows).assumingMemoryBound(to: UInt32.self)
      sites = differences + rows
    }
  }

  private init(
    payload: ChunkPayload,
    bytes: UnsafePointer<UInt8>,
    events: UnsafeMutablePointer<Event>,
    space: Space,
    stride: Int,
    rows: Int
  ) {
    self.payload = payload
    self.bytes = bytes
    self.events = events
    self.space = space
    self.stride = stride
    self.rows = rows
    hasLabels = payload.kinds.indices.contains {
      payload.layout.kinds[$0].arity > payload.kinds[$0].fields.count
    }
  }

  private mutating func run() throws(ChunkDamage) {
    let kinds = payload.layout.kinds
    var starts: [Int] = []
    var start = 0
    for kind in kinds {
      starts.append(start)
      start += kind.rowsBefore.count(in: stride)
    }
    starts.append(start)
    sortByKind(starts)
    for kind in kinds.indices { times(kind, rows: starts[kind]..<starts[kind + 1]) }
    try writeRows()
    for kind in kinds.indices where starts[kind] < starts[kind + 1] {
      sitesAndIdentities(kind, rows: starts[kind]..<starts[kind + 1])
    }
    for pair in payload.layout.pairs.pairs where starts[pair.end] < starts[pair.end + 1] {
      match(
        begins: starts[pair.begin]..<starts[pair.begin + 1],
        ends: starts[pair.end]..<starts[pair.end + 1],
        codes: bytes + (kinds[pair.end].codes ?? 0) + kinds[pair.end].rowsBefore[stride]
      )
    }
    for kind in kinds.indices where starts[kind] < starts[kind + 1] {
      shapesAndArguments(kind, rows: starts[kind]..<starts[kind + 1])
    }
    if let wrong {
      throw ChunkDamage(
        "\(wrong.part)",
        found: wrong.found,
        expected: "below \(wrong.limit)",
        at: payload.layout.kindColumn
      )
    }
  }

  /// Lists the rows of each kind.
  private func sortByKind(_ starts: [Int]) {
    let kindBytes = bytes + payload.layout.kindColumn + stride * Chunk.strideRows
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
      for kind in starts.indices.dropLast() { next[kind] = starts[kind] }
      for row in 0..<rows {
        let kind = Int(kindBytes[row])
        let place = next[kind]
        space.positions[place] = UInt16(truncatingIfNeeded: row)
        next[kind] = place &+ 1
      }
    }
  }

  /// Brings the 32-bit time differences of a kind to their rows.
  private func times(_ kind: Int, rows range: Range<Int>) {
    let place = payload.layout.kinds[kind]
    let first = place.rowsBefore[stride]
    let list = space.positions + range.lowerBound
    let plane0 = bytes + place.times[0] + first
    let plane1 = bytes + place.times[1] + first
    let plane2 = bytes + place.times[2] + first
    let plane3 = bytes + place.times[3] + first
    for index in 0..<range.count {
      space.differences[Int(list[index])] =
        UInt32(plane0[index]) | UInt32(plane1[index]) << 8 | UInt32(plane2[index]) << 16
        | UInt32(plane3[index]) << 24
    }
  }

  /// What all rows of a kind have in common.
  private mutating func template(_ kind: Int) -> Event {
    let place = payload.layout.kinds[kind]
    let fields = payload.kinds[kind].fields
    var event = Event(payload.kinds[kind].kind, at: HostTime(rawValue: 0), stream: payload.stream)
    if place.shape.mode == .constant { setShape(place.shape.base, of: &event) }
    for argument in 0..<place.arity where place.arguments[argument].mode == .constant {
      let isName = argument < fields.count && fields[argument].type == .name
      event[argument] = constant(place.arguments[argument], isName: isName)
    }
    guard place.codes == nil else { return event }
    if place.site.mode == .constant { event.site = site(place.site.base) }
    if place.identity.mode == .constant {
      event.identity = constant(
        place.identity,
        isName: payload.kinds[kind].identity?.type == .name
      )
    }
    return event
  }

  private mutating func constant(_ column: ColumnPlace, isName: Bool) -> UInt64 {
    guard isName else { return column.base }
    guard column.base < UInt64(payload.globalNames.count) else {
      wrong = ("string number", column.base, payload.globalNames.count)
      return 0
    }
    return UInt64(payload.globalNames[Int(column.base)])
  }

  private mutating func site(_ local: UInt64) -> SiteID {
    guard local < UInt64(payload.globalSites.count) else {
      wrong = ("site number", local, payload.globalSites.count)
      return .none
    }
    return SiteID(rawValue: payload.globalSites[Int(local)])
  }

  private mutating func setShape(_ shape: UInt64, of event: inout Event) {
    event.observerCode = UInt8(truncatingIfNeeded: shape)
    event.flags = EventFlags(rawValue: UInt8(truncatingIfNeeded: shape >> 8))
    event.argumentCount = UInt8(truncatingIfNeeded: shape >> 16)
    if shape >> 16 > UInt64(Event.argumentsMax) {
      wrong = ("argument count", shape >> 16, Event.argumentsMax + 1)
    }
  }

  /// Writes each event: the template of its kind, its number, time and thread.
  private mutating func writeRows() throws(ChunkDamage) {
    let first = stride * Chunk.strideRows
    let start = payload.layout.strides[stride]
    var clock = Clock(
      time: start.time,
      wide: start.widesBefore,
      wideCount: payload.layout.wideCount,
      wides: bytes + payload.layout.wides
    )
    let total = payload.header.eventCount
    let count = UInt32(payload.threads.count)
    withUnsafeTemporaryAllocation(of: Event.self, capacity: 256) { templates in
      for kind in payload.kinds.indices {
        templates.initializeElement(at: kind, to: template(kind))
      }
      guard let templates = UnsafePointer(templates.baseAddress) else { return }
      guard let column = payload.layout.threadColumn else {
        write(templates, &clock) { _ in 0 }
        return
      }
      let low = bytes + column + first
      if count <= 256 {
        write(templates, &clock) { UInt32(low[$0]) }
      } else {
        let high = low + total
        write(templates, &clock) { UInt32(low[$0]) | UInt32(high[$0]) << 8 }
      }
    }
    if clock.isShort { wrong = ("wide differences", UInt64(clock.wide) + 1, clock.wideCount + 1) }
    let header = payload.header
    guard clock.least >= header.firstTime.rawValue, clock.greatest <= header.lastTime.rawValue
    else {
      let found = clock.least < header.firstTime.rawValue ? clock.least : clock.greatest
      throw ChunkDamage(
        "time of a row",
        found: UInt64(bitPattern: found),
        expected: "\(header.firstTime.rawValue) to \(header.lastTime.rawValue)",
        at: payload.layout.kindColumn
      )
    }
  }

  /// Adds up the time differences.
  private struct Clock {
    var time: Int64
    var wide: Int
    let wideCount: Int
    let wides: UnsafePointer<UInt8>
    var least = Int64.max
    var greatest = Int64.min
    var isShort = false

    @inline(__always)
    mutating func advance(_ difference: UInt32) -> HostTime {
      time = time &+ (difference == UInt32.max ? wideDifference() : Int64(difference))
      least = min(least, time)
      greatest = max(greatest, time)
      return HostTime(rawValue: time)
    }

    @inline(never)
    private mutating func wideDifference() -> Int64 {
      guard wide < wideCount else {
        isShort = true
        return 0
      }
      defer { wide += 1 }
      return (0..<8).reduce(0) { $0 | Int64(wides[wide * 8 + $1]) << Int64(8 * $1) }
    }
  }

  @inline(__always)
  private mutating func write(
    _ templates: UnsafePointer<Event>,
    _ clock: inout Clock,
    thread: (Int) -> UInt32
  ) {
    let first = stride * Chunk.strideRows
    let kindBytes = bytes + payload.layout.kindColumn + first
    let sequence = payload.header.firstSequence &+ UInt64(first)
    let count = UInt32(payload.threads.count)
    var most: UInt32 = 0
    payload.threads.withUnsafeBufferPointer { threads in
      for row in 0..<rows {
        let local = thread(row)
        most = max(most, local)
        let event = events + row
        event.initialize(to: templates[Int(kindBytes[row])])
        event.pointee.sequence = sequence &+ UInt64(row)
        event.pointee.time = clock.advance(space.differences[row])
        event.pointee.thread = ThreadID(rawValue: threads[local < count ? Int(local) : 0])
      }
    }
    if most >= count { wrong = ("thread number", UInt64(most), Int(count)) }
  }

  /// Calls `body` with each row of a column and its value.
  @inline(__always)
  private func each(
    _ column: ColumnPlace,
    from first: Int,
    rows: UnsafePointer<UInt16>,
    count: Int,
    _ body: (Int, UInt64) -> Void
  ) {
    let plane = bytes + column.start + first
    let next = column.count
    let base = column.base
    switch (column.mode, column.width) {
    case (.constant, _):
      for index in 0..<count { body(Int(rows[index]), base) }
    case (.offset, 1):
      for index in 0..<count { body(Int(rows[index]), base &+ UInt64(plane[index])) }
    case (.offset, 2):
      for index in 0..<count {
        let value = UInt64(plane[index]) | UInt64(plane[index + next]) << 8
        body(Int(rows[index]), base &+ value)
      }
    case (.delta, 1):
      var value = base
      for index in 0..<count {
        value = value &+ UInt64(bitPattern: unzigzag(UInt64(plane[index])))
        body(Int(rows[index]), value)
      }
    default:
      var previous = base
      for index in 0..<count {
        var value: UInt64 = 0
        for byte in 0..<column.width {
          value |= UInt64(plane[index + byte * next]) << UInt64(8 * byte)
        }
        if column.mode == .delta {
          previous = previous &+ UInt64(bitPattern: unzigzag(value))
          value = previous
        } else {
          value = value &+ base
        }
        body(Int(rows[index]), value)
      }
    }
  }

  @inline(__always)
  private func field<T>(_ row: Int, _ offset: Int, as type: T.Type) -> UnsafeMutablePointer<T> {
    (UnsafeMutableRawPointer(events + row) + offset).assumingMemoryBound(to: type)
  }

  private mutating func sitesAndIdentities(_ kind: Int, rows range: Range<Int>) {
    let place = payload.layout.kinds[kind]
    let all = UnsafePointer(space.positions + range.lowerBound)
    let isEnd = place.codes != nil
    if isEnd || hasLabels || place.site.mode != .constant {
      let own = rows(of: place, in: all, count: range.count, from: UInt8(EndCode.depthMax))
      let limit = UInt64(payload.globalSites.count)
      var worst: UInt64 = 0
      payload.globalSites.withUnsafeBufferPointer { sites in
        each(
          place.site,
          from: place.sitesBefore[stride],
          rows: own,
          count: place.sitesBefore.count(in: stride)
        ) { row, value in
          worst = max(worst, value)
          let local = value < limit ? Int(value) : 0
          space.sites[row] = UInt32(truncatingIfNeeded: local)
          events[row].site = SiteID(rawValue: sites[local])
        }
      }
      if worst >= limit { wrong = ("site number", worst, payload.globalSites.count) }
    }
    if isEnd || place.identity.mode != .constant {
      numbers(
        place.identity,
        from: place.identitiesBefore[stride],
        rows: rows(of: place, in: all, count: range.count, from: EndCode.siteLimit),
        count: place.identitiesBefore.count(in: stride),
        offset: StrideDecoder.identityOffset,
        isName: payload.kinds[kind].identity?.type == .name
      )
    }
  }

  /// The rows among `all` that have an entry of their own: all, or ends with such a code.
  private func rows(
    of place: KindPlace,
    in all: UnsafePointer<UInt16>,
    count: Int,
    from least: UInt8
  ) -> UnsafePointer<UInt16> {
    guard let codes = place.codes else { return all }
    let mine = bytes + codes + place.rowsBefore[stride]
    var found = 0
    for index in 0..<count where mine[index] >= least {
      space.some[found] = all[index]
      found += 1
    }
    return UnsafePointer(space.some)
  }

  /// Stores the values of a column of numbers or of names.
  private mutating func numbers(
    _ column: ColumnPlace,
    from first: Int,
    rows list: UnsafePointer<UInt16>,
    count: Int,
    offset: Int,
    isName: Bool
  ) {
    guard isName else {
      each(column, from: first, rows: list, count: count) { row, value in
        field(row, offset, as: UInt64.self).pointee = value
      }
      return
    }
    var worst: UInt64 = 0
    payload.globalNames.withUnsafeBufferPointer { names in
      let limit = UInt64(names.count)
      each(column, from: first, rows: list, count: count) { row, value in
        worst = max(worst, value)
        field(row, offset, as: UInt64.self).pointee =
          value < limit ? UInt64(names[Int(value)]) : 0
      }
      if worst >= limit { wrong = ("string number", worst, names.count) }
    }
  }

  /// Gives each end that has none of its own the identity and site of its begin.
  private mutating func match(
    begins: Range<Int>,
    ends: Range<Int>,
    codes: UnsafePointer<UInt8>
  ) {
    let count = payload.threads.count
    guard let column = payload.layout.threadColumn else {
      return match(begins: begins, ends: ends, codes: codes) { _ in 0 }
    }
    let low = bytes + column + stride * Chunk.strideRows
    let high = low + payload.header.eventCount
    match(begins: begins, ends: ends, codes: codes) { row in
      let local = count <= 256 ? Int(low[row]) : Int(low[row]) | Int(high[row]) << 8
      return local < count ? local : 0
    }
  }

  @inline(__always)
  private mutating func match(
    begins: Range<Int>,
    ends: Range<Int>,
    codes: UnsafePointer<UInt8>,
    threadOf: (Int) -> Int
  ) {
    var unmatched = false
    let (positions, older, sites, events) = (space.positions, space.older, space.sites, events)
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: payload.threads.count) { heads in
      heads.initialize(repeating: -1)
      guard let newest = heads.baseAddress else { return }
      var nextBegin = begins.lowerBound
      for index in ends {
        let row = Int(positions[index])
        while nextBegin < begins.upperBound, positions[nextBegin] < positions[index] {
          let opened = Int(positions[nextBegin])
          nextBegin &+= 1
          let thread = threadOf(opened)
          older[opened] = newest[thread]
          newest[thread] = Int32(truncatingIfNeeded: opened)
        }
        let code = codes[index &- ends.lowerBound]
        if code >= EndCode.siteLimit { continue }
        let thread = threadOf(row)
        var newer: Int32 = -1
        var open = newest[thread]
        for _ in 0..<(Int(code) & (EndCode.depthMax - 1)) where open >= 0 {
          newer = open
          open = older[Int(open)]
        }
        guard open >= 0 else {
          unmatched = true
          continue
        }
        if newer < 0 {
          newest[thread] = older[Int(open)]
        } else {
          older[Int(newer)] = older[Int(open)]
        }
        events[row].identity = events[Int(open)].identity
        if code < UInt8(EndCode.depthMax) {
          events[row].site = events[Int(open)].site
          sites[row] = sites[Int(open)]
        }
      }
    }
    if unmatched { wrong = ("end code", UInt64(EndCode.depthMax), 1) }
  }

  private mutating func shapesAndArguments(_ kind: Int, rows range: Range<Int>) {
    let place = payload.layout.kinds[kind]
    let list = UnsafePointer(space.positions + range.lowerBound)
    if place.shape.mode != .constant {
      var most: UInt64 = 0
      each(place.shape, from: place.rowsBefore[stride], rows: list, count: range.count) {
        row,
        value in
        events[row].observerCode = UInt8(truncatingIfNeeded: value)
        events[row].flags = EventFlags(rawValue: UInt8(truncatingIfNeeded: value >> 8))
        events[row].argumentCount = UInt8(truncatingIfNeeded: value >> 16)
        most = max(most, value)
      }
      if most >> 16 > UInt64(Event.argumentsMax) {
        wrong = ("argument count", most >> 16, Event.argumentsMax + 1)
      }
    }
    let fields = payload.kinds[kind].fields
    for argument in 0..<place.arity {
      let column = place.arguments[argument]
      let offset = StrideDecoder.argumentsOffset + argument * MemoryLayout<UInt64>.size
      if column.mode != .constant {
        numbers(
          column,
          from: place.rowsBefore[stride],
          rows: list,
          count: range.count,
          offset: offset,
          isName: argument < fields.count && fields[argument].type == .name
        )
      }
      if argument >= fields.count {
        labelled(argument - fields.count, offset: offset, rows: list, count: range.count)
      }
    }
  }

  /// Turns the labelled arguments that are names, which only the site tells, into ids.
  private mutating func labelled(
    _ label: Int,
    offset: Int,
    rows list: UnsafePointer<UInt16>,
    count: Int
  ) {
    let masks = payload.labelMasks
    let names = payload.globalNames
    for index in 0..<count {
      let row = Int(list[index])
      guard masks[Int(space.sites[row])] >> UInt16(label) & 1 != 0 else { continue }
      let value = field(row, offset, as: UInt64.self)
      if value.pointee < UInt64(names.count) {
        value.pointee = UInt64(names[Int(value.pointee)])
      } else {
        wrong = ("string number", value.pointee, names.count)
        value.pointee = 0
      }
    }
  }
}
