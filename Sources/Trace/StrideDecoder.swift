// SPDX-License-Identifier: Apache-2.0

/// The one place that reads columns through unsafe pointers.
///
/// Safe because ``ChunkLayout`` has checked that every column lies inside the payload, because
/// rows of a stride are counted from the same bytes that place them, and because every number
/// that indexes a table is compared with the table's size here. The pointers live for one call.
struct StrideDecoder {
  private let payload: ChunkPayload
  private let bytes: UnsafePointer<UInt8>
  /// The rows of the stride.
  private let events: UnsafeMutablePointer<Event>
  /// Rows of the stride by kind; kind k has `positions + starts[k]`.
  private let positions: UnsafeMutablePointer<UInt16>
  /// Rows with a column entry of their own, and the open begins.
  private let some: UnsafeMutablePointer<UInt16>
  private let older: UnsafeMutablePointer<Int32>
  private let stride: Int
  private let rows: Int
  /// The greatest number that was out of its table, for the error.
  private var wrong: (part: StaticString, found: UInt64, limit: Int)?

  private static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
  private static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0
  private static let siteOffset = MemoryLayout<Event>.offset(of: \.site) ?? 0

  /// Decodes one stride of `payload` into `events`, which has room for its rows.
  static func decode(
    _ payload: ChunkPayload,
    bytes: UnsafePointer<UInt8>,
    stride: Int,
    into events: UnsafeMutablePointer<Event>,
    rows: Int,
    space: UnsafeMutableRawPointer
  ) throws(ChunkDamage) {
    let words = space.assumingMemoryBound(to: Int32.self)
    let halves = (space + spaceBytes / 2).assumingMemoryBound(to: UInt16.self)
    var decoder = StrideDecoder(
      payload: payload,
      bytes: bytes,
      events: events,
      positions: halves,
      some: halves + Chunk.strideRows,
      older: words,
      stride: stride,
      rows: rows
    )
    try decoder.run()
  }

  /// What ``decode(_:bytes:stride:into:rows:space:)`` needs to work in.
  static let spaceBytes = 2 * Chunk.strideRows * MemoryLayout<Int32>.size

  private init(
    payload: ChunkPayload,
    bytes: UnsafePointer<UInt8>,
    events: UnsafeMutablePointer<Event>,
    positions: UnsafeMutablePointer<UInt16>,
    some: UnsafeMutablePointer<UInt16>,
    older: UnsafeMutablePointer<Int32>,
    stride: Int,
    rows: Int
  ) {
    self.payload = payload
    self.bytes = bytes
    self.events = events
    self.positions = positions
    self.some = some
    self.older = older
    self.stride = stride
    self.rows = rows
  }

  private mutating func run() throws(ChunkDamage) {
    let kinds = payload.layout.kinds
    var starts: [Int] = []
    var start = 0
    for kind in kinds {
      starts.append(start)
      start += kind.rowsBefore[stride + 1] - kind.rowsBefore[stride]
    }
    starts.append(start)
    try placeRows(starts)
    for kind in kinds.indices where starts[kind] < starts[kind + 1] {
      try sitesAndIdentities(kind, rows: starts[kind]..<starts[kind + 1])
    }
    for pair in payload.layout.pairs.pairs where starts[pair.end] < starts[pair.end + 1] {
      try match(
        begins: starts[pair.begin]..<starts[pair.begin + 1],
        ends: starts[pair.end]..<starts[pair.end + 1],
        codes: bytes + (kinds[pair.end].codes ?? 0) + kinds[pair.end].rowsBefore[stride]
      )
    }
    for kind in kinds.indices where starts[kind] < starts[kind + 1] {
      try shapesAndArguments(kind, rows: starts[kind]..<starts[kind + 1])
      times(kind, rows: starts[kind]..<starts[kind + 1])
    }
    try finishRows()
    if let wrong {
      throw ChunkDamage(
        "\(wrong.part)",
        found: wrong.found,
        expected: "below \(wrong.limit)",
        at: payload.layout.kindColumn
      )
    }
  }

  /// Sorts the rows by kind and starts each event with kind and thread.
  private mutating func placeRows(_ starts: [Int]) throws(ChunkDamage) {
    let first = stride * Chunk.strideRows
    let kindBytes = bytes + payload.layout.kindColumn + first
    let total = payload.header.eventCount
    let kinds = payload.kinds
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
      for kind in kinds.indices { next[kind] = starts[kind] }
      for row in 0..<rows {
        let kind = Int(kindBytes[row])
        positions[next[kind]] = UInt16(truncatingIfNeeded: row)
        next[kind] += 1
      }
    }
    let sequence = payload.header.firstSequence + UInt64(first)
    var blank = Event(
      EventKind(rawValue: 0),
      at: HostTime(rawValue: 0),
      stream: payload.stream
    )
    withUnsafeTemporaryAllocation(of: EventKind.self, capacity: 256) { kindOf in
      for kind in kinds.indices { kindOf.initializeElement(at: kind, to: kinds[kind].kind) }
      for row in 0..<rows {
        blank.kind = kindOf[Int(kindBytes[row])]
        blank.sequence = sequence + UInt64(row)
        (events + row).initialize(to: blank)
      }
    }
    placeThreads(from: first, total: total)
  }

  /// Threads are kept as their local number until the begins and ends are matched.
  private mutating func placeThreads(from first: Int, total: Int) {
    let count = UInt32(payload.threads.count)
    guard let column = payload.layout.threadColumn else { return }
    let low = bytes + column + first
    var most: UInt32 = 0
    if count <= 256 {
      for row in 0..<rows {
        let thread = UInt32(low[row])
        most = max(most, thread)
        events[row].thread.rawValue = thread
      }
    } else {
      let high = low + total
      for row in 0..<rows {
        let thread = UInt32(low[row]) | UInt32(high[row]) << 8
        most = max(most, thread)
        events[row].thread.rawValue = thread
      }
    }
    guard most >= count else { return }
    wrong = ("thread number", UInt64(most), Int(count))
    for row in 0..<rows where events[row].thread.rawValue >= count {
      events[row].thread.rawValue = 0
    }
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

  private mutating func sitesAndIdentities(
    _ kind: Int,
    rows range: Range<Int>
  ) throws(ChunkDamage) {
    let place = payload.layout.kinds[kind]
    let all = UnsafePointer(positions + range.lowerBound)
    var siteRows = all
    var identityRows = all
    if let codes = place.codes {
      let mine = bytes + codes + place.rowsBefore[stride]
      var sites = 0
      for index in 0..<range.count where mine[index] >= UInt8(EndCode.depthMax) {
        some[sites] = all[index]
        sites += 1
      }
      siteRows = UnsafePointer(some)
    }
    let siteLimit = payload.globalSites.count
    var worst: UInt64 = 0
    each(
      place.site,
      from: place.sitesBefore[stride],
      rows: siteRows,
      count: place.sitesBefore[stride + 1] - place.sitesBefore[stride]
    ) { row, value in
      worst = max(worst, value)
      field(row, StrideDecoder.siteOffset, as: UInt32.self).pointee =
        value < UInt64(siteLimit) ? UInt32(value) : 0
    }
    if worst >= UInt64(siteLimit) { wrong = ("site number", worst, siteLimit) }
    if let codes = place.codes {
      let mine = bytes + codes + place.rowsBefore[stride]
      var identities = 0
      for index in 0..<range.count where mine[index] >= EndCode.siteLimit {
        some[identities] = all[index]
        identities += 1
      }
      identityRows = UnsafePointer(some)
    }
    numbers(
      place.identity,
      from: place.identitiesBefore[stride],
      rows: identityRows,
      count: place.identitiesBefore[stride + 1] - place.identitiesBefore[stride],
      offset: StrideDecoder.identityOffset,
      isName: payload.kinds[kind].identity?.type == .name
    )
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
  ) throws(ChunkDamage) {
    var unmatched = false
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: payload.threads.count) { newest in
      newest.initialize(repeating: -1)
      var nextBegin = begins.lowerBound
      for index in ends {
        let row = Int(positions[index])
        while nextBegin < begins.upperBound, positions[nextBegin] < positions[index] {
          let opened = Int(positions[nextBegin])
          nextBegin += 1
          let thread = Int(events[opened].thread.rawValue)
          older[opened] = newest[thread]
          newest[thread] = Int32(truncatingIfNeeded: opened)
        }
        let code = codes[index - ends.lowerBound]
        if code >= EndCode.siteLimit { continue }
        let thread = Int(events[row].thread.rawValue)
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
        if code < UInt8(EndCode.depthMax) { events[row].site = events[Int(open)].site }
      }
    }
    if unmatched { wrong = ("end code", UInt64(EndCode.depthMax), 1) }
  }

  private mutating func shapesAndArguments(
    _ kind: Int,
    rows range: Range<Int>
  ) throws(ChunkDamage) {
    let place = payload.layout.kinds[kind]
    let list = UnsafePointer(positions + range.lowerBound)
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
    let fields = payload.kinds[kind].fields
    for argument in place.arguments.indices {
      let offset = StrideDecoder.argumentsOffset + argument * MemoryLayout<UInt64>.size
      numbers(
        place.arguments[argument],
        from: place.rowsBefore[stride],
        rows: list,
        count: range.count,
        offset: offset,
        isName: argument < fields.count && fields[argument].type == .name
      )
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
      guard masks[Int(events[row].site.rawValue)] >> UInt16(label) & 1 != 0 else { continue }
      let value = field(row, offset, as: UInt64.self)
      if value.pointee < UInt64(names.count) {
        value.pointee = UInt64(names[Int(value.pointee)])
      } else {
        wrong = ("string number", value.pointee, names.count)
        value.pointee = 0
      }
    }
  }

  /// Stores the 32-bit time differences in the time fields.
  private func times(_ kind: Int, rows range: Range<Int>) {
    let place = payload.layout.kinds[kind]
    let first = place.rowsBefore[stride]
    let list = positions + range.lowerBound
    let plane0 = bytes + place.times[0] + first
    let plane1 = bytes + place.times[1] + first
    let plane2 = bytes + place.times[2] + first
    let plane3 = bytes + place.times[3] + first
    for index in 0..<range.count {
      let difference =
        UInt32(plane0[index]) | UInt32(plane1[index]) << 8 | UInt32(plane2[index]) << 16
        | UInt32(plane3[index]) << 24
      events[Int(list[index])].time.rawValue = Int64(difference)
    }
  }

  /// Adds up the times and replaces local numbers of threads and sites by ids.
  private mutating func finishRows() throws(ChunkDamage) {
    var time = payload.layout.strides[stride].time
    var wide = payload.layout.strides[stride].widesBefore
    let wideCount = payload.layout.wideCount
    let wides = bytes + payload.layout.wides
    var least = Int64.max
    var greatest = Int64.min
    var short = false
    payload.threads.withUnsafeBufferPointer { threads in
      payload.globalSites.withUnsafeBufferPointer { sites in
        for row in 0..<rows {
          var difference = events[row].time.rawValue
          if difference == Int64(UInt32.max) {
            if wide < wideCount {
              difference = 0
              for byte in 0..<8 { difference |= Int64(wides[wide * 8 + byte]) << Int64(8 * byte) }
              wide += 1
            } else {
              short = true
            }
          }
          time = time &+ difference
          least = min(least, time)
          greatest = max(greatest, time)
          events[row].time.rawValue = time
          events[row].thread.rawValue = threads[Int(events[row].thread.rawValue)]
          events[row].site.rawValue = sites[Int(events[row].site.rawValue)]
        }
      }
    }
    if short { wrong = ("wide differences", UInt64(wide) + 1, wideCount + 1) }
    let header = payload.header
    guard least >= header.firstTime.rawValue, greatest <= header.lastTime.rawValue else {
      throw ChunkDamage(
        "time of a row",
        found: UInt64(bitPattern: least < header.firstTime.rawValue ? least : greatest),
        expected: "\(header.firstTime.rawValue) to \(header.lastTime.rawValue)",
        at: payload.layout.kindColumn
      )
    }
  }
}

extension ChunkPayload {
  /// The events of some strides, or of all, in sequence order.
  public func decode(strides: Range<Int>? = nil) throws(ChunkDamage) -> [Event] {
    let strides = strides ?? 0..<strideCount
    precondition(strides.lowerBound >= 0 && strides.upperBound <= strideCount)
    let first = strides.lowerBound * Chunk.strideRows
    let last = min(strides.upperBound * Chunk.strideRows, header.eventCount)
    guard first < last else { return [] }
    var damage: ChunkDamage?
    let events = [Event](unsafeUninitializedCapacity: last - first) { rows, count in
      bytes.withUnsafeBufferPointer { bytes in
        withUnsafeTemporaryAllocation(
          byteCount: StrideDecoder.spaceBytes,
          alignment: MemoryLayout<Int32>.alignment
        ) { space in
          guard let rows = rows.baseAddress, let bytes = bytes.baseAddress,
            let space = space.baseAddress
          else { return }
          for stride in strides where damage == nil {
            let start = stride * Chunk.strideRows
            do throws(ChunkDamage) {
              try StrideDecoder.decode(
                self,
                bytes: bytes,
                stride: stride,
                into: rows + (start - first),
                rows: min(Chunk.strideRows, header.eventCount - start),
                space: space
              )
            } catch {
              damage = error
            }
          }
        }
      }
      count = damage == nil ? last - first : 0
    }
    if let damage { throw damage }
    return events
  }
}
