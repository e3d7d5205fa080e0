// SPDX-License-Identifier: Apache-2.0

/// The columns of one chunk while they are made.
///
/// Order of the data: kind of each row, thread of each row, then for each kind its columns (end
/// codes, site, identity, shape, arguments), then the time differences as four byte planes, the
/// highest first, each grouped by kind, then the differences that need 64 bits.
struct ChunkColumns {
  /// The kinds present, by number.
  private(set) var kinds: [KindInfo] = []
  /// The threads present, in order of appearance.
  private(set) var threads: [UInt32] = []
  /// How each column is stored.
  private(set) var directory = ByteWriter()
  /// The columns.
  private(set) var data: [UInt8] = []
  /// Where columns of different statistics meet in the data.
  private(set) var cuts: [Int] = []
  /// Least and greatest time.
  private(set) var times = (HostTime(rawValue: 0), HostTime(rawValue: 0))

  private let rows: [Event]
  private var kindOfRow: [UInt8]
  private var threadOfRow: [UInt16]
  private var siteOfRow: [UInt32]
  /// Rows by kind, ascending; kind k has `starts[k]..<starts[k + 1]`.
  private var positions: [UInt16]
  private var starts: [Int] = []
  private var scratch: ColumnScratch
  private var labelMasks: [UInt16] = [0]

  /// A run of data shorter than this is not worth a block of its own.
  static let cutBytesMin = 512

  init(rows: [Event], names: borrowing Names) {
    self.rows = rows
    kindOfRow = [UInt8](repeating: 0, count: rows.count)
    threadOfRow = [UInt16](repeating: 0, count: rows.count)
    siteOfRow = [UInt32](repeating: 0, count: rows.count)
    positions = [UInt16](repeating: 0, count: rows.count)
    scratch = ColumnScratch(rows: rows.count)
    data.reserveCapacity(rows.count * 12)
    sortByKind(names: names)
  }

  mutating func build(
    names: borrowing Names,
    localNames: inout LocalIDs,
    localSites: inout LocalIDs
  ) {
    numberThreads()
    numberSites(names: names, localSites: &localSites)
    data.append(contentsOf: kindOfRow)
    cut()
    appendThreads()
    cut()
    let pairs = ChunkPairs(kinds)
    var explicitEnds: [Int: (sites: [UInt16], identities: [UInt16], codes: [UInt8])] = [:]
    for pair in pairs.pairs { explicitEnds[pair.end] = matchEnds(begin: pair.begin, end: pair.end) }
    for kind in kinds.indices {
      let all = Array(positions[starts[kind]..<starts[kind + 1]])
      var siteRows = all
      var identityRows = all
      if let ends = explicitEnds[kind] {
        data.append(contentsOf: ends.codes)
        siteRows = ends.sites
        identityRows = ends.identities
      }
      appendSites(rows: siteRows)
      appendIdentities(kind, rows: identityRows, localNames: &localNames)
      appendShapes(rows: all)
      appendArguments(kind, rows: all, localNames: &localNames)
      cut()
    }
    appendTimes()
  }

  private mutating func cut() {
    if data.count - (cuts.last ?? 0) >= ChunkColumns.cutBytesMin { cuts.append(data.count) }
  }

  // MARK: Rows

  private mutating func sortByKind(names: borrowing Names) {
    var counts = [Int](repeating: 0, count: 256)
    for event in rows { counts[Int(event.kind.rawValue)] += 1 }
    var indexOfKind = [UInt8](repeating: 0, count: 256)
    var start = 0
    for raw in 0..<256 where counts[raw] > 0 {
      let kind = EventKind(rawValue: UInt8(raw))
      indexOfKind[raw] = UInt8(kinds.count)
      kinds.append(names.info(of: kind) ?? KindInfo(unknown: kind))
      starts.append(start)
      start += counts[raw]
    }
    starts.append(rows.count)
    var next = starts
    for row in rows.indices {
      let kind = indexOfKind[Int(rows[row].kind.rawValue)]
      kindOfRow[row] = kind
      positions[next[Int(kind)]] = UInt16(row)
      next[Int(kind)] += 1
    }
  }

  private mutating func numberThreads() {
    var numbers: [UInt32: UInt16] = [:]
    // A small cache in front of the dictionary: threads alternate, but few are busy.
    var cachedThread = [UInt32](repeating: 0, count: 64)
    var cachedNumber = [UInt16](repeating: .max, count: 64)
    for row in rows.indices {
      let thread = rows[row].thread.rawValue
      let slot = Int(thread & 63)
      if cachedNumber[slot] == .max || cachedThread[slot] != thread {
        if numbers[thread] == nil {
          numbers[thread] = UInt16(threads.count)
          threads.append(thread)
        }
        cachedThread[slot] = thread
        cachedNumber[slot] = numbers[thread] ?? 0
      }
      threadOfRow[row] = cachedNumber[slot]
    }
  }

  private mutating func appendThreads() {
    if threads.count == 1 { return }
    data.append(contentsOf: threadOfRow.lazy.map { UInt8(truncatingIfNeeded: $0) })
    if threads.count > 256 {
      data.append(contentsOf: threadOfRow.lazy.map { UInt8(truncatingIfNeeded: $0 >> 8) })
    }
  }

  private mutating func numberSites(names: borrowing Names, localSites: inout LocalIDs) {
    for row in rows.indices {
      siteOfRow[row] = UInt32(localSites.local(UInt64(rows[row].site.rawValue)))
    }
    for id in localSites.globals {
      labelMasks.append(names[SiteID(rawValue: id)].nameLabels)
    }
  }

  // MARK: Columns

  /// The open begins of each thread, newest first, as linked rows.
  private mutating func matchEnds(
    begin: Int,
    end: Int
  ) -> (sites: [UInt16], identities: [UInt16], codes: [UInt8]) {
    var sites: [UInt16] = []
    var identities: [UInt16] = []
    var codes: [UInt8] = []
    var newest = [Int32](repeating: -1, count: threads.count)
    var older = [Int32](repeating: -1, count: rows.count)
    var nextBegin = starts[begin]
    var stride = 0
    for index in starts[end]..<starts[end + 1] {
      let row = Int(positions[index])
      if row / Chunk.strideRows != stride {
        stride = row / Chunk.strideRows
        for thread in newest.indices { newest[thread] = -1 }
      }
      while nextBegin < starts[begin + 1], positions[nextBegin] < positions[index] {
        let opened = Int(positions[nextBegin])
        nextBegin += 1
        if opened / Chunk.strideRows < stride { continue }
        older[opened] = newest[Int(threadOfRow[opened])]
        newest[Int(threadOfRow[opened])] = Int32(opened)
      }
      let thread = Int(threadOfRow[row])
      var depth: UInt8 = 0
      var newer: Int32 = -1
      var open = newest[thread]
      while open >= 0, depth < EndCode.depthMax, rows[Int(open)].identity != rows[row].identity {
        newer = open
        open = older[Int(open)]
        depth += 1
      }
      guard open >= 0, depth < EndCode.depthMax else {
        codes.append(EndCode.explicit)
        sites.append(UInt16(row))
        identities.append(UInt16(row))
        continue
      }
      if newer < 0 {
        newest[thread] = older[Int(open)]
      } else {
        older[Int(newer)] = older[Int(open)]
      }
      if siteOfRow[Int(open)] == siteOfRow[row] {
        codes.append(depth)
      } else {
        codes.append(depth + UInt8(EndCode.depthMax))
        sites.append(UInt16(row))
      }
    }
    return (sites, identities, codes)
  }

  private mutating func appendSites(rows list: [UInt16]) {
    for index in list.indices { scratch.values[index] = UInt64(siteOfRow[Int(list[index])]) }
    append(list, isName: true)
  }

  private mutating func appendIdentities(
    _ kind: Int,
    rows list: [UInt16],
    localNames: inout LocalIDs
  ) {
    let isName = kinds[kind].identity?.type == .name
    if isName {
      for index in list.indices {
        scratch.values[index] = localNames.local(rows[Int(list[index])].identity)
      }
    } else {
      for index in list.indices { scratch.values[index] = rows[Int(list[index])].identity }
    }
    append(list, isName: isName)
  }

  private mutating func appendShapes(rows list: [UInt16]) {
    for index in list.indices { scratch.values[index] = rows[Int(list[index])].shape }
    append(list, isName: true)
  }

  private mutating func appendArguments(
    _ kind: Int,
    rows list: [UInt16],
    localNames: inout LocalIDs
  ) {
    var arity = Event.argumentsMax
    while arity > 0, list.allSatisfy({ rows[Int($0)][arity - 1] == 0 }) { arity -= 1 }
    directory.byte(UInt8(arity))
    let fields = kinds[kind].fields
    for argument in 0..<arity {
      let isName = argument < fields.count && fields[argument].type == .name
      for index in list.indices {
        scratch.values[index] = rows[Int(list[index])][argument]
      }
      if isName {
        for index in list.indices {
          scratch.values[index] = localNames.local(scratch.values[index])
        }
      } else if argument >= fields.count {
        let label = UInt16(1) << UInt16(argument - fields.count)
        for index in list.indices where labelMasks[Int(siteOfRow[Int(list[index])])] & label != 0 {
          scratch.values[index] = localNames.local(scratch.values[index])
        }
      }
      append(list, isName: isName)
    }
  }

  private mutating func append(_ list: [UInt16], isName: Bool) {
    scratch.append(rows: list, isName: isName, directory: &directory, data: &data)
  }

  private mutating func appendTimes() {
    var least = rows[0].time
    var greatest = least
    var previous = least
    var wide: [UInt64] = []
    var differences = [UInt32](repeating: 0, count: rows.count)
    var base = Int64(0)
    for row in rows.indices {
      let time = rows[row].time
      if row % Chunk.strideRows == 0 {
        directory.signed(time.rawValue &- base)
        directory.varint(wide.count)
        base = time.rawValue
        previous = time
      }
      let difference = UInt64(bitPattern: time.rawValue &- previous.rawValue)
      if difference >= UInt64(UInt32.max) {
        wide.append(difference)
        differences[row] = .max
      } else {
        differences[row] = UInt32(difference)
      }
      previous = time
      least = min(least, time)
      greatest = max(greatest, time)
    }
    times = (least, greatest)
    for plane in [3, 2, 1, 0] as [UInt32] {
      for kind in kinds.indices {
        for index in starts[kind]..<starts[kind + 1] {
          let value = differences[Int(positions[index])] >> (8 * plane)
          data.append(UInt8(truncatingIfNeeded: value))
        }
        if plane < 3 { cut() }
      }
      cut()
    }
    directory.varint(wide.count)
    for value in wide {
      for shift in 0..<8 as Range<UInt64> {
        data.append(UInt8(truncatingIfNeeded: value >> (8 * shift)))
      }
    }
  }
}
