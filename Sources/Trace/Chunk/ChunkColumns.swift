// SPDX-License-Identifier: Apache-2.0

/// The columns of one chunk while they are made: the one place that writes them through unsafe
/// pointers.
///
/// Order of the data: kind of each row, thread of each row, then for each kind its columns (end
/// codes, site, identity, shape, arguments), then the time differences as four byte planes, the
/// highest first, each grouped by kind, then the differences that need 64 bits.
///
/// Safe because every array is sized from the number of rows, which is bounded, rows are numbers
/// below it, and ``rowBytesMax`` bounds what a row can add to the data. The pointers live from
/// ``init(rows:names:)`` to ``free()``, within one call of the encoder.
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
  private(set) var times = (HostTime(rawValue: 0), HostTime(rawValue: 0))

  private let rows: UnsafeBufferPointer<Event>
  private let count: Int
  private let kindOfRow: UnsafeMutablePointer<UInt8>
  private let threadOfRow: UnsafeMutablePointer<UInt16>
  private let siteOfRow: UnsafeMutablePointer<UInt16>
  /// Rows by kind, ascending; kind k has `starts[k]..<starts[k + 1]`.
  private let positions: UnsafeMutablePointer<UInt16>
  /// Two lists of rows, for the ends of a pair.
  private let someRows: UnsafeMutablePointer<UInt16>
  private let values: UnsafeMutablePointer<UInt64>
  private let older: UnsafeMutablePointer<Int32>
  private let data: UnsafeMutablePointer<UInt8>
  private var used = 0
  private var starts: [Int] = []
  private var labelMasks: [UInt16] = [0]

  /// A run of data shorter than this is not worth a block of its own.
  static let cutBytesMin = 4_096
  /// Kind 1, thread 2, end code 1, site 2, identity 8, shape 3, arguments 32, time 4 and 8.
  private static let rowBytesMax = 61

  private static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
  private static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0

  init(rows: UnsafeBufferPointer<Event>, names: borrowing Names) {
    self.rows = rows
    count = rows.count
    kindOfRow = .allocate(capacity: count)
    threadOfRow = .allocate(capacity: count)
    siteOfRow = .allocate(capacity: count)
    positions = .allocate(capacity: count)
    someRows = .allocate(capacity: 2 * count)
    values = .allocate(capacity: count)
    older = .allocate(capacity: count)
    data = .allocate(capacity: count * ChunkColumns.rowBytesMax)
    sortByKind(names: names)
  }

  /// Gives the memory back; nothing may be used afterwards.
  func free() {
    kindOfRow.deallocate()
    threadOfRow.deallocate()
    siteOfRow.deallocate()
    positions.deallocate()
    someRows.deallocate()
    values.deallocate()
    older.deallocate()
    data.deallocate()
  }

  /// The columns that were made.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: data, count: used) }

  mutating func build(
    names: borrowing Names,
    localNames: inout LocalIDs,
    localSites: inout LocalIDs
  ) {
    numberThreads()
    for row in 0..<count {
      siteOfRow[row] = UInt16(localSites.local(UInt64(rows[row].site.rawValue)))
    }
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
      for (index, row) in siteRows.enumerated() { values[index] = UInt64(siteOfRow[Int(row)]) }
      append(siteRows, isName: true)
      appendIdentities(kind, rows: identityRows, localNames: &localNames)
      let arity = appendShapes(rows: all)
      appendArguments(kind, arity: arity, rows: all, localNames: &localNames)
      cut()
    }
    appendTimes()
  }

  private mutating func cut() {
    if used - (cuts.last ?? 0) >= ChunkColumns.cutBytesMin { cuts.append(used) }
  }

  // MARK: Rows

  private mutating func sortByKind(names: borrowing Names) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 512) { table in
      table.initialize(repeating: 0)
      for row in 0..<count { table[Int(rows[row].kind.rawValue)] += 1 }
      var start = 0
      for raw in 0..<256 where table[raw] > 0 {
        let kind = EventKind(rawValue: UInt8(raw))
        table[256 + raw] = kinds.count
        kinds.append(names.info(of: kind) ?? KindInfo(unknown: kind))
        starts.append(start)
        start += table[raw]
        table[raw] = start - table[raw]
      }
      starts.append(count)
      for row in 0..<count {
        let raw = Int(rows[row].kind.rawValue)
        kindOfRow[row] = UInt8(truncatingIfNeeded: table[256 + raw])
        positions[table[raw]] = UInt16(truncatingIfNeeded: row)
        table[raw] += 1
      }
    }
  }

  private mutating func numberThreads() {
    var numbers: [UInt32: UInt16] = [:]
    // A small cache in front of the dictionary: threads alternate, but few are busy.
    withUnsafeTemporaryAllocation(of: (thread: UInt32, number: UInt32).self, capacity: 64) {
      cache in
      cache.initialize(repeating: (0, .max))
      for row in 0..<count {
        let thread = rows[row].thread.rawValue
        let slot = Int(thread & 63)
        if cache[slot].number == .max || cache[slot].thread != thread {
          if numbers[thread] == nil {
            numbers[thread] = UInt16(threads.count)
            threads.append(thread)
          }
          cache[slot] = (thread, UInt32(numbers[thread] ?? 0))
        }
        threadOfRow[row] = UInt16(truncatingIfNeeded: cache[slot].number)
      }
    }
  }

  private mutating func appendKindsAndThreads() {
    (data + used).update(from: kindOfRow, count: count)
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

  private mutating func appendIdentities(
    _ kind: Int,
    rows list: UnsafeBufferPointer<UInt16>,
    localNames: inout LocalIDs
  ) {
    gather(list, at: ChunkColumns.identityOffset)
    let isName = kinds[kind].isNameIdentity
    if isName {
      for index in 0..<list.count { values[index] = localNames.local(values[index]) }
    }
    append(list, isName: isName)
  }

  /// Writes the shapes; returns the greatest argument count.
  private mutating func appendShapes(rows list: UnsafeBufferPointer<UInt16>) -> Int {
    var most: UInt8 = 0
    for index in 0..<list.count {
      let row = Int(list[index])
      values[index] = rows[row].shape
      most = max(most, rows[row].argumentCount)
    }
    precondition(most <= Event.argumentsMax, "an event has at most four arguments")
    append(list, isName: true)
    return Int(most)
  }

  private mutating func appendArguments(
    _ kind: Int,
    arity: Int,
    rows list: UnsafeBufferPointer<UInt16>,
    localNames: inout LocalIDs
  ) {
    directory.byte(UInt8(arity))
    let fields = kinds[kind].fields
    for argument in 0..<arity {
      let isName = argument < fields.count && fields[argument].type == .name
      gather(list, at: ChunkColumns.argumentsOffset + 8 * argument)
      if isName {
        for index in 0..<list.count { values[index] = localNames.local(values[index]) }
      } else if argument >= fields.count {
        let label = UInt16(1) << UInt16(argument - fields.count)
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

  private mutating func appendTimes() {
    var least = Int64.max
    var greatest = Int64.min
    var previous = Int64(0)
    var base = Int64(0)
    var wide: [UInt64] = []
    // The values' memory holds the 32-bit differences now.
    let differences = UnsafeMutableRawPointer(values).assumingMemoryBound(to: UInt32.self)
    for row in 0..<count {
      let time = rows[row].time.rawValue
      if row % Chunk.strideRows == 0 {
        directory.signed(time &- base)
        directory.varint(wide.count)
        base = time
        previous = time
      }
      let difference = UInt64(bitPattern: time &- previous)
      if difference >= UInt64(UInt32.max) {
        wide.append(difference)
        differences[row] = .max
      } else {
        differences[row] = UInt32(truncatingIfNeeded: difference)
      }
      previous = time
      least = min(least, time)
      greatest = max(greatest, time)
    }
    times = (HostTime(rawValue: least), HostTime(rawValue: greatest))
    let planes = data + used
    for index in 0..<count {
      let value = differences[Int(positions[index])]
      planes[index] = UInt8(truncatingIfNeeded: value >> 24)
      planes[index + count] = UInt8(truncatingIfNeeded: value >> 16)
      planes[index + 2 * count] = UInt8(truncatingIfNeeded: value >> 8)
      planes[index + 3 * count] = UInt8(truncatingIfNeeded: value)
    }
    for _ in 0..<4 {
      for kind in kinds.indices {
        used += starts[kind + 1] - starts[kind]
        cut()
      }
    }
    directory.varint(wide.count)
    for value in wide {
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
