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
  /// By pointer, so that closures over this value count no references to its arrays.
  private let payload: UnsafePointer<ChunkPayload>
  private let bytes: UnsafePointer<UInt8>
  /// Where the columns of each kind lie; too large to be copied for each kind and stride.
  private let places: UnsafePointer<KindPlace>
  /// The rows of the stride.
  private let events: UnsafeMutablePointer<Event>
  private let space: Space
  private let stride: Int
  private let rows: Int
  /// Labelled arguments need the chunk's own number of each row's site.
  private let hasLabels: Bool
  /// A number that was out of its table, for the error.
  private var wrong: (part: StaticString, found: UInt64, limit: Int)?

  private static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
  private static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0

  /// Decodes one stride of `payload` into `events`, which has room for its rows.
  ///
  /// `bytes` and `places` are those of the payload.
  static func decode(
    _ payload: UnsafePointer<ChunkPayload>,
    bytes: UnsafePointer<UInt8>,
    places: UnsafePointer<KindPlace>,
    stride: Int,
    into events: UnsafeMutablePointer<Event>,
    rows: Int,
    space: UnsafeMutableRawPointer
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

  private init(
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

  private mutating func run() throws(ChunkDamage) {
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
  private mutating func template(_ kind: Int) -> Event {
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

  private mutating func constant(_ column: ColumnPlace, isName: Bool) -> UInt64 {
    guard isName else { return column.base }
    guard column.base < UInt64(payload.pointee.globalNames.count) else {
      wrong = ("string number", column.base, payload.pointee.globalNames.count)
      return 0
    }
    return UInt64(payload.pointee.globalNames[Int(column.base)])
  }

  private mutating func site(_ local: UInt64) -> SiteID {
    guard local < UInt64(payload.pointee.globalSites.count) else {
      wrong = ("site number", local, payload.pointee.globalSites.count)
      return .none
    }
    return SiteID(rawValue: payload.pointee.globalSites[Int(local)])
  }

  private mutating func setShape(_ shape: UInt64, of event: inout Event) {
    event.observerCode = UInt8(truncatingIfNeeded: shape)
    event.flags = EventFlags(rawValue: UInt8(truncatingIfNeeded: shape >> 8))
    event.argumentCount = UInt8(truncatingIfNeeded: shape >> 16)
    if shape >> 16 > UInt64(Event.argumentsMax) {
      wrong = ("argument count", shape >> 16, Event.argumentsMax + 1)
    }
  }

  /// Writes each event, its template with number, time and thread, and lists the rows of each kind.
  private mutating func writeRows(_ starts: [Int]) throws(ChunkDamage) {
    let start = payload.pointee.layout.strides[stride]
    var clock = Clock(
      time: start.time,
      wide: start.widesBefore,
      wideCount: payload.pointee.layout.wideCount,
      wides: bytes + payload.pointee.layout.wides
    )
    for kind in payload.pointee.kinds.indices { joinPlanes(kind, rows: starts[kind]) }
    let threads = payload.pointee.threads
    withUnsafeTemporaryAllocation(of: Event.self, capacity: 256) { templates in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
        for kind in payload.pointee.kinds.indices {
          templates.initializeElement(at: kind, to: template(kind))
          next.initializeElement(at: kind, to: starts[kind])
        }
        guard let templates = UnsafePointer(templates.baseAddress), let next = next.baseAddress
        else { return }
        guard let column = payload.pointee.layout.threadColumn else {
          let only = threads[0]
          write(templates, next, &clock) { _ in only }
          return
        }
        let low = bytes + column + stride * Chunk.strideRows
        if threads.count > 256 {
          let high = low + payload.pointee.header.eventCount
          check(threads: threads.count) { UInt32(low[$0]) | UInt32(high[$0]) << 8 }
          write(templates, next, &clock) { row in
            let local = Int(low[row]) | Int(high[row]) << 8
            return threads[local < threads.count ? local : 0]
          }
          return
        }
        check(threads: threads.count) { UInt32(low[$0]) }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 256) { table in
          table.initialize(repeating: threads[0])
          for local in threads.indices { table[local] = threads[local] }
          guard let table = table.baseAddress else { return }
          write(templates, next, &clock) { table[Int(low[$0])] }
        }
      }
    }
    if clock.isShort { wrong = ("wide differences", UInt64(clock.wide) + 1, clock.wideCount + 1) }
    let header = payload.pointee.header
    guard clock.least >= header.firstTime.rawValue, clock.greatest <= header.lastTime.rawValue
    else {
      let found = clock.least < header.firstTime.rawValue ? clock.least : clock.greatest
      throw ChunkDamage(
        "time of a row",
        found: UInt64(bitPattern: found),
        expected: "\(header.firstTime.rawValue) to \(header.lastTime.rawValue)",
        at: payload.pointee.layout.kindColumn
      )
    }
  }

  /// Puts the four planes of a kind's time differences together, many rows in one instruction.
  private func joinPlanes(_ kind: Int, rows start: Int) {
    let place = places + kind
    let first = place.pointee.rowsBefore[stride]
    let times = place.pointee.times
    let plane0 = bytes + times[0] + first
    let plane1 = bytes + times[1] + first
    let plane2 = bytes + times[2] + first
    let plane3 = bytes + times[3] + first
    let differences = space.differences + start
    for index in 0..<place.pointee.rowsBefore.count(in: stride) {
      differences[index] =
        UInt32(plane0[index]) | UInt32(plane1[index]) << 8 | UInt32(plane2[index]) << 16
        | UInt32(plane3[index]) << 24
    }
  }

  /// Compares the thread numbers of all rows with the size of their table.
  @inline(__always)
  private mutating func check(threads count: Int, local: (Int) -> UInt32) {
    var most: UInt32 = 0
    for row in 0..<rows { most = max(most, local(row)) }
    if most >= count { wrong = ("thread number", UInt64(most), count) }
  }

  /// Where the times of a stride are, and where they have been.
  ///
  /// Between two wide differences times only rise, so that it is enough to look at the ends.
  private struct Clock {
    var time: Int64
    var wide: Int
    let wideCount: Int
    let wides: UnsafePointer<UInt8>
    var least = Int64.max
    var greatest = Int64.min
    var isShort = false

    /// Takes note that times rose to `end`, none having been below ``time``.
    mutating func rise(to end: Int64) {
      // Past the last number there is: no stride rises so far without.
      least = end < time ? .min : min(least, time)
      greatest = end < time ? .max : max(greatest, end)
    }

    /// The time of the row after one at `before`, by the next wide difference.
    @inline(never)
    mutating func jump(from before: Int64) -> Int64 {
      rise(to: before)
      guard wide < wideCount else {
        isShort = true
        return before
      }
      let difference = (0..<8).reduce(0) { $0 | Int64(wides[wide * 8 + $1]) << Int64(8 * $1) }
      wide += 1
      time = before &+ difference
      return time
    }
  }

  @inline(__always)
  private func write(
    _ templates: UnsafePointer<Event>,
    _ next: UnsafeMutablePointer<Int>,
    _ clock: inout Clock,
    thread: (Int) -> UInt32
  ) {
    let first = stride * Chunk.strideRows
    let kindBytes = bytes + payload.pointee.layout.kindColumn + first
    let sequence = payload.pointee.header.firstSequence &+ UInt64(first)
    let (positions, differences) = (space.positions, space.differences)
    // In a register: through memory each row would wait for the one before.
    var time = clock.time
    for row in 0..<rows {
      let kind = Int(kindBytes[row])
      let place = next[kind]
      next[kind] = place &+ 1
      positions[place] = UInt16(truncatingIfNeeded: row)
      let difference = differences[place]
      let event = events + row
      event.initialize(to: templates[kind])
      event.pointee.sequence = sequence &+ UInt64(row)
      time = difference == .max ? clock.jump(from: time) : time &+ Int64(difference)
      event.pointee.time = HostTime(rawValue: time)
      event.pointee.thread = ThreadID(rawValue: thread(row))
    }
    clock.rise(to: time)
  }

  @inline(__always)
  private func field<T>(_ row: Int, _ offset: Int, as type: T.Type) -> UnsafeMutablePointer<T> {
    (UnsafeMutableRawPointer(events + row) + offset).assumingMemoryBound(to: type)
  }

  private mutating func sitesAndIdentities(_ kind: Int, rows range: Range<Int>) {
    let place = places + kind
    let all = UnsafePointer(space.positions + range.lowerBound)
    let isEnd = place.pointee.codes != nil
    if isEnd || hasLabels || place.pointee.site.mode != .constant {
      let own = rows(of: place, in: all, count: range.count, from: UInt8(EndCode.depthMax))
      let limit = UInt64(payload.pointee.globalSites.count)
      var worst: UInt64 = 0
      payload.pointee.globalSites.withUnsafeBufferPointer { sites in
        place.pointee.site.each(
          in: bytes,
          from: place.pointee.sitesBefore[stride],
          rows: own,
          count: place.pointee.sitesBefore.count(in: stride)
        ) { row, value in
          worst = max(worst, value)
          let local = value < limit ? Int(value) : 0
          space.sites[row] = UInt32(truncatingIfNeeded: local)
          events[row].site = SiteID(rawValue: sites[local])
        }
      }
      if worst >= limit { wrong = ("site number", worst, payload.pointee.globalSites.count) }
    }
    if isEnd || place.pointee.identity.mode != .constant {
      numbers(
        place.pointee.identity,
        from: place.pointee.identitiesBefore[stride],
        rows: rows(of: place, in: all, count: range.count, from: EndCode.siteLimit),
        count: place.pointee.identitiesBefore.count(in: stride),
        offset: StrideDecoder.identityOffset,
        isName: payload.pointee.kinds[kind].isNameIdentity
      )
    }
  }

  /// The rows among `all` that have an entry of their own: all, or ends with such a code.
  private func rows(
    of place: UnsafePointer<KindPlace>,
    in all: UnsafePointer<UInt16>,
    count: Int,
    from least: UInt8
  ) -> UnsafePointer<UInt16> {
    guard let codes = place.pointee.codes else { return all }
    let mine = bytes + codes + place.pointee.rowsBefore[stride]
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
      column.each(in: bytes, from: first, rows: list, count: count) { row, value in
        field(row, offset, as: UInt64.self).pointee = value
      }
      return
    }
    var worst: UInt64 = 0
    payload.pointee.globalNames.withUnsafeBufferPointer { names in
      let limit = UInt64(names.count)
      column.each(in: bytes, from: first, rows: list, count: count) { row, value in
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
    let count = payload.pointee.threads.count
    guard let column = payload.pointee.layout.threadColumn else {
      return match(begins: begins, ends: ends, codes: codes) { _ in 0 }
    }
    let low = bytes + column + stride * Chunk.strideRows
    let high = low + payload.pointee.header.eventCount
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
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: payload.pointee.threads.count) {
      heads in
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
          // It has no site then; what its arguments are called is looked up all the same.
          sites[row] = 0
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
    let place = places + kind
    let list = UnsafePointer(space.positions + range.lowerBound)
    if place.pointee.shape.mode != .constant {
      var most: UInt64 = 0
      place.pointee.shape.each(
        in: bytes,
        from: place.pointee.rowsBefore[stride],
        rows: list,
        count: range.count
      ) {
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
    let fields = payload.pointee.kinds[kind].fields
    for argument in 0..<place.pointee.arity {
      let column = place.pointee.arguments[argument]
      let offset = StrideDecoder.argumentsOffset + argument * MemoryLayout<UInt64>.size
      if column.mode != .constant {
        numbers(
          column,
          from: place.pointee.rowsBefore[stride],
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
    let masks = payload.pointee.labelMasks
    let names = payload.pointee.globalNames
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
