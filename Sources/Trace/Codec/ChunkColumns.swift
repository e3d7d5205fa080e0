// SPDX-License-Identifier: Apache-2.0

/// The columns of one chunk while they are made: the one place that writes them through unsafe
/// pointers.
///
/// Order of the data: kind of each row, thread of each row, then for each kind its columns (end
/// codes, site, identity, shape, arguments), then the time differences as four byte planes, the
/// highest first, each grouped by kind, then the differences that need 64 bits.
///
/// The events are read twice in the order of their rows, once to number what they mention and once
/// to sort them, and then kind by kind: first to find out which columns are constant, as most are,
/// then the others one by one.
///
/// Safe because every array is sized from the number of rows, which is bounded, rows are numbers
/// below it, and ``rowBytesMax`` bounds what a row can add to the data. The pointers live from
/// ``init(rows:)`` to ``free()``, within one call of the encoder.
struct ChunkColumns {
  /// The kinds present, by number.
  private(set) var kinds: [KindInfo] = []
  /// The threads present, in order of appearance.
  private(set) var threads: [UInt32] = []
  /// How each column is stored.
  private(set) var directory = ByteWriter()
  /// Where columns of different statistics meet in the data.
  private(set) var cuts: [Int] = []
  /// Least and greatest time.
  var times: (HostTime, HostTime) { differences.bounds }

  let rows: UnsafeBufferPointer<Event>
  let count: Int
  let threadOfRow: UnsafeMutablePointer<UInt16>
  let siteOfRow: UnsafeMutablePointer<UInt16>
  /// Rows by kind, ascending; kind k has `starts[k]..<starts[k + 1]`.
  let positions: UnsafeMutablePointer<UInt16>
  private(set) var starts: [Int] = []
  /// Two lists of rows, for the ends of a pair.
  private let someRows: UnsafeMutablePointer<UInt16>
  private let values: UnsafeMutablePointer<UInt64>
  private let older: UnsafeMutablePointer<Int32>
  private let data: UnsafeMutablePointer<UInt8>
  private var used = 0
  private var differences: TimeDifferences
  private var labelMasks: [UInt16] = [0]

  /// A run of data shorter than this is not worth a block of its own.
  static let cutBytesMin = 4_096
  /// Kind 1, thread 2, end code 1, site 2, identity 8, shape 3, arguments 32, time 4 and 8.
  private static let rowBytesMax = 61

  private static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
  private static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0

  init(rows: UnsafeBufferPointer<Event>) {
    self.rows = rows
    count = rows.count
    threadOfRow = .allocate(capacity: count)
    siteOfRow = .allocate(capacity: count)
    positions = .allocate(capacity: count)
    someRows = .allocate(capacity: 2 * count)
    values = .allocate(capacity: count)
    older = .allocate(capacity: count)
    data = .allocate(capacity: count * ChunkColumns.rowBytesMax)
    differences = TimeDifferences(rows: count)
  }

  /// Gives the memory back; nothing may be used afterwards.
  func free() {
    threadOfRow.deallocate()
    siteOfRow.deallocate()
    positions.deallocate()
    someRows.deallocate()
    values.deallocate()
    older.deallocate()
    data.deallocate()
    differences.free()
  }

  /// Bytes of the columns that were made.
  var byteCount: Int { used }

  /// The columns, behind the bytes of `head`.
  func payload(behind head: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: head.count + used) { buffer, count in
      _ = buffer.initialize(from: head)
      (buffer.baseAddress.unsafelyUnwrapped + head.count).initialize(from: data, count: used)
      count = head.count + used
    }
  }

  mutating func build(
    names: borrowing Names,
    localNames: inout LocalIDs,
    localSites: inout LocalIDs
  ) {
    sortByKind(names: names, localSites: &localSites)
    for id in localSites.globals {
      labelMasks.append(names[SiteID(rawValue: id)].nameLabels)
    }
    appendKindsAndThreads()
    let pairs = ChunkPairs(kinds)
    for kind in kinds.indices {
      let all = UnsafeBufferPointer(
        start: positions + starts[kind],
        count: starts[kind + 1] - starts[kind]
      )
      var siteRows = all
      var identityRows = all
      if let pair = pairs.pairs.first(where: { $0.end == kind }) {
        (siteRows, identityRows) = matchEnds(begin: pair.begin, end: kind)
      }
      let varies = variation(of: all)
      appendSites(siteRows)
      appendIdentities(kind, rows: identityRows, varies: varies, localNames: &localNames)
      let arity = appendShapes(rows: all, varies: varies)
      appendArguments(kind, arity: arity, rows: all, varies: varies, localNames: &localNames)
      cut()
    }
    appendTimes()
  }

  private mutating func cut() {
    if used - (cuts.last ?? 0) >= ChunkColumns.cutBytesMin { cuts.append(used) }
  }

  // MARK: Rows

  /// Numbers threads and sites, and sorts the rows by kind; the kind of each row is the first
  /// column.
  private mutating func sortByKind(names: borrowing Names, localSites: inout LocalIDs) {
    guard let events = rows.baseAddress else { return }
    var rowsOfKind = InlineArray<256, Int>(repeating: 0)
    var threadNumbers = ThreadNumbers()
    for row in 0..<count {
      rowsOfKind[Int(events[row].kind.rawValue)] += 1
      threadOfRow[row] = threadNumbers.number(of: events[row].thread.rawValue)
      let site = localSites.local(UInt64(events[row].site.rawValue))
      siteOfRow[row] = UInt16(truncatingIfNeeded: site)
    }
    threads = threadNumbers.threads
    var numbers = InlineArray<256, UInt8>(repeating: 0)
    var places = InlineArray<256, Int>(repeating: 0)
    var start = 0
    for raw in 0..<256 where rowsOfKind[raw] > 0 {
      let kind = EventKind(rawValue: UInt8(raw))
      numbers[raw] = UInt8(kinds.count)
      kinds.append(names.info(of: kind) ?? KindInfo(unknown: kind))
      starts.append(start)
      places[raw] = start
      start += rowsOfKind[raw]
    }
    starts.append(count)
    for row in 0..<count {
      let raw = Int(events[row].kind.rawValue)
      let place = places[raw]
      places[raw] = place + 1
      data[row] = numbers[raw]
      positions[place] = UInt16(truncatingIfNeeded: row)
      differences.put(events[row].time.rawValue, row: row, at: place)
    }
  }

  private mutating func appendKindsAndThreads() {
    used += count
    cut()
    if threads.count == 1 { return }
    for row in 0..<count { data[used + row] = UInt8(truncatingIfNeeded: threadOfRow[row]) }
    used += count
    if threads.count > 256 {
      for row in 0..<count { data[used + row] = UInt8(truncatingIfNeeded: threadOfRow[row] >> 8) }
      used += count
    }
    cut()
  }

  /// Writes the end codes; returns the rows with a site, and with an identity, of their own.
  ///
  /// The open begins of each thread are linked rows, newest first.
  private mutating func matchEnds(
    begin: Int,
    end: Int
  ) -> (sites: UnsafeBufferPointer<UInt16>, identities: UnsafeBufferPointer<UInt16>) {
    var sites = 0
    var identities = 0
    let identityRows = someRows + count
    var newest = [Int32](repeating: -1, count: threads.count)
    newest.withUnsafeMutableBufferPointer { newest in
      var nextBegin = starts[begin]
      let lastBegin = starts[begin + 1]
      var stride = 0
      for index in starts[end]..<starts[end + 1] {
        let row = Int(positions[index])
        if row / Chunk.strideRows != stride {
          stride = row / Chunk.strideRows
          newest.update(repeating: -1)
        }
        while nextBegin < lastBegin, positions[nextBegin] < positions[index] {
          let opened = Int(positions[nextBegin])
          nextBegin += 1
          if opened / Chunk.strideRows < stride { continue }
          older[opened] = newest[Int(threadOfRow[opened])]
          newest[Int(threadOfRow[opened])] = Int32(opened)
        }
        let thread = Int(threadOfRow[row])
        let identity = rows[row].identity
        var depth = 0
        var newer: Int32 = -1
        var open = newest[thread]
        while open >= 0, depth < EndCode.depthMax, rows[Int(open)].identity != identity {
          newer = open
          open = older[Int(open)]
          depth += 1
        }
        var code = EndCode.explicit
        if open >= 0, depth < EndCode.depthMax {
          let next = older[Int(open)]
          if newer < 0 { newest[thread] = next } else { older[Int(newer)] = next }
          let isSameSite = siteOfRow[Int(open)] == siteOfRow[row]
          code = UInt8(truncatingIfNeeded: isSameSite ? depth : depth + EndCode.depthMax)
        } else {
          identityRows[identities] = UInt16(truncatingIfNeeded: row)
          identities += 1
        }
        if code >= UInt8(EndCode.depthMax) {
          someRows[sites] = UInt16(truncatingIfNeeded: row)
          sites += 1
        }
        data[used] = code
        used += 1
      }
    }
    return (
      UnsafeBufferPointer(start: someRows, count: sites),
      UnsafeBufferPointer(start: identityRows, count: identities)
    )
  }

  // MARK: Columns

  /// The bits in which the events of a kind are not all alike, and their greatest argument count.
  private struct Variation {
    var identity: UInt64 = 0
    var arguments = InlineArray<4, UInt64>(repeating: 0)
    var shape: UInt64 = 0
    var arity: UInt8 = 0
  }

  private func variation(of list: UnsafeBufferPointer<UInt16>) -> Variation {
    var varies = Variation()
    guard let base = rows.baseAddress, let firstRow = list.first else { return varies }
    let first = base + Int(firstRow)
    var (some, more, others, rest) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    for row in list {
      let event = base + Int(row)
      varies.identity |= event.pointee.identity ^ first.pointee.identity
      some |= event.pointee.arguments.0 ^ first.pointee.arguments.0
      more |= event.pointee.arguments.1 ^ first.pointee.arguments.1
      others |= event.pointee.arguments.2 ^ first.pointee.arguments.2
      rest |= event.pointee.arguments.3 ^ first.pointee.arguments.3
      varies.shape |= event.pointee.shape ^ first.pointee.shape
      varies.arity = max(varies.arity, event.pointee.argumentCount)
    }
    varies.arguments = [some, more, others, rest]
    return varies
  }

  /// Takes the 64 bits at `offset` of the rows' events as the values of a column.
  private func gather(_ list: UnsafeBufferPointer<UInt16>, at offset: Int) {
    guard let base = UnsafeRawPointer(rows.baseAddress) else { return }
    let events = base + offset
    for index in 0..<list.count {
      values[index] = events.load(
        fromByteOffset: Int(list[index]) * MemoryLayout<Event>.stride,
        as: UInt64.self
      )
    }
  }

  private mutating func appendSites(_ list: UnsafeBufferPointer<UInt16>) {
    for index in 0..<list.count { values[index] = UInt64(siteOfRow[Int(list[index])]) }
    append(list, isName: true)
  }

  private mutating func appendIdentities(
    _ kind: Int,
    rows list: UnsafeBufferPointer<UInt16>,
    varies: Variation,
    localNames: inout LocalIDs
  ) {
    let isName = kinds[kind].isNameIdentity
    guard varies.identity != 0 else {
      let all = list.first.map { rows[Int($0)].identity } ?? 0
      return appendConstant(isName ? localNames.local(all) : all)
    }
    gather(list, at: ChunkColumns.identityOffset)
    if isName {
      for index in 0..<list.count { values[index] = localNames.local(values[index]) }
    }
    append(list, isName: isName)
  }

  /// Writes the shapes; returns the greatest argument count.
  private mutating func appendShapes(rows list: UnsafeBufferPointer<UInt16>, varies: Variation)
    -> Int
  {
    precondition(varies.arity <= Event.argumentsMax, "an event has at most four arguments")
    if varies.shape == 0 {
      appendConstant(list.first.map { rows[Int($0)].shape } ?? 0)
    } else {
      for index in 0..<list.count { values[index] = rows[Int(list[index])].shape }
      append(list, isName: true)
    }
    return Int(varies.arity)
  }

  private mutating func appendArguments(
    _ kind: Int,
    arity: Int,
    rows list: UnsafeBufferPointer<UInt16>,
    varies: Variation,
    localNames: inout LocalIDs
  ) {
    directory.byte(UInt8(arity))
    let fields = kinds[kind].fields
    for argument in 0..<arity {
      let isName = argument < fields.count && fields[argument].type == .name
      let label = argument < fields.count ? 0 : UInt16(1) << UInt16(argument - fields.count)
      let hasNames = label != 0 && labelMasks.contains { $0 & label != 0 }
      guard varies.arguments[argument] != 0 || hasNames else {
        let all = list.first.map { rows[Int($0)][argument] } ?? 0
        appendConstant(isName ? localNames.local(all) : all)
        continue
      }
      gather(list, at: ChunkColumns.argumentsOffset + 8 * argument)
      if isName {
        for index in 0..<list.count { values[index] = localNames.local(values[index]) }
      } else if hasNames {
        for index in 0..<list.count
        where labelMasks[Int(siteOfRow[Int(list[index])])] & label != 0 {
          values[index] = localNames.local(values[index])
        }
      }
      append(list, isName: isName)
    }
  }

  private mutating func append(_ list: UnsafeBufferPointer<UInt16>, isName: Bool) {
    let packed = ColumnPacking.pack(
      values,
      rows: list,
      isName: isName,
      into: data + used
    )
    directory.byte(packed.mode.rawValue << 4 | UInt8(packed.width))
    directory.varint(packed.base)
    used += packed.width * list.count
  }

  private mutating func appendConstant(_ value: UInt64) {
    directory.byte(ColumnMode.constant.rawValue << 4)
    directory.varint(value)
  }

  private mutating func appendTimes() {
    for stride in differences.strides {
      directory.signed(stride.step)
      directory.varint(stride.wideBefore)
    }
    differences.storePlanes(into: data + used)
    for _ in 0..<4 {
      for kind in kinds.indices {
        used += starts[kind + 1] - starts[kind]
        cut()
      }
    }
    directory.varint(differences.wide.count)
    for value in differences.wide {
      for shift in 0..<8 as Range<UInt64> {
        data[used] = UInt8(truncatingIfNeeded: value >> (8 * shift))
        used += 1
      }
    }
  }
}

extension Event {
  /// Observer, flags and argument count in one number.
  var shape: UInt64 {
    UInt64(observerCode) | UInt64(flags.rawValue) << 8 | UInt64(argumentCount) << 16
  }
}
