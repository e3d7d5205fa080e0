// SPDX-License-Identifier: Apache-2.0

// The columns that differ from row to row are written over the templates.

extension StrideDecoder {
  mutating func sitesAndIdentities(_ kind: Int, rows range: Range<Int>) {
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
  func rows(
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
  mutating func numbers(
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
  mutating func match(
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
  mutating func match(
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
          // It has no site then; the names of its arguments are looked up all the same.
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

  mutating func shapesAndArguments(_ kind: Int, rows range: Range<Int>) {
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

  /// Turns the labelled arguments that are names, which only the site marks, into ids.
  mutating func labelled(
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
