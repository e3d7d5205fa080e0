// SPDX-License-Identifier: Apache-2.0

/// For each stride of a chunk, how many rows of some sort lie before it; then their number.
struct RowsBefore {
  private var counts = InlineArray<5, Int>(repeating: 0)

  /// Their number in the chunk.
  var total: Int { counts[Chunk.stridesMax] }

  /// Those before `stride`, which may be one past the last.
  subscript(stride: Int) -> Int { counts[stride] }

  /// How many there are in `stride`.
  func count(in stride: Int) -> Int { counts[stride + 1] - counts[stride] }

  /// Says how many there are up to the end of `stride`; strides come in order.
  mutating func end(_ stride: Int, with count: Int) {
    for later in (stride + 1)...Chunk.stridesMax { counts[later] = count }
  }
}

/// Where the columns of one kind lie; plain numbers, so that decoding counts no references.
struct KindPlace {
  var rowsBefore: RowsBefore
  /// The end codes, for the end of a pair.
  var codes: Int?
  /// As `rowsBefore`, for rows with a site of their own; for rows with an identity of their own.
  var sitesBefore: RowsBefore
  var identitiesBefore: RowsBefore
  var site: ColumnPlace
  var identity: ColumnPlace
  var shape: ColumnPlace
  /// The columns of the first ``arity`` arguments.
  var arguments: InlineArray<4, ColumnPlace>
  var arity = 0
  /// The first byte of the time planes, the lowest plane first.
  var times = InlineArray<4, Int>(repeating: 0)
}

/// Where everything in a payload lies: worked out once, bounded, before any row is decoded.
struct ChunkLayout {
  /// The kind of each row, one byte each.
  var kindColumn = 0
  /// The thread of each row, or nil when there is only one thread; two planes above 256.
  var threadColumn: Int?
  var kinds: [KindPlace] = []
  var pairs: ChunkPairs
  /// Time of the first row, and 64-bit differences before it, for each stride.
  var strides: [(time: Int64, widesBefore: Int)] = []
  var wides = 0
  var wideCount = 0

  init(
    from input: inout ByteReader,
    rows: Int,
    kinds infos: [KindInfo],
    threads: Int
  ) throws(ChunkDamage) {
    pairs = ChunkPairs(infos)
    let rowsAt = input.position
    let declared = try input.count("rows", max: Chunk.rowsMax)
    guard declared == rows else {
      throw ChunkDamage("rows", found: UInt64(declared), expected: "\(rows)", at: rowsAt)
    }
    // The data follows the directory, and some of the directory depends on the data: first find
    // where the directory ends.
    var directory = input
    try ChunkLayout.skipDirectory(&input, kinds: infos.count, rows: rows)
    kindColumn = try input.take(rows, "kind column").lowerBound
    if threads > 1 {
      let planes = threads > 256 ? 2 : 1
      threadColumn = try input.take(rows * planes, "thread column").lowerBound
    }
    let before = try rowsBefore(bytes: input.bytes, rows: rows, kinds: infos.count)
    for kind in infos.indices {
      kinds.append(
        try ChunkLayout.place(
          rowsBefore: before[kind],
          isEnd: pairs.isEnd[kind],
          directory: &directory,
          data: &input
        )
      )
    }
    var time: Int64 = 0
    for _ in 0..<Chunk.strides(rows: rows) {
      time = time &+ (try directory.signed("stride time"))
      let wides = try directory.count("wide differences", max: rows)
      strides.append((time, wides))
    }
    for plane in [3, 2, 1, 0] {
      for kind in kinds.indices {
        kinds[kind].times[plane] =
          try input.take(kinds[kind].rowsBefore.total, "time plane").lowerBound
      }
    }
    wideCount = try directory.count("wide differences", max: rows)
    wides = try input.take(wideCount * 8, "wide differences").lowerBound
    guard input.remaining == 0 else {
      throw ChunkDamage(
        "payload",
        found: UInt64(input.remaining),
        expected: "no bytes behind the columns",
        at: input.position
      )
    }
  }

  private static func skipDirectory(
    _ input: inout ByteReader,
    kinds: Int,
    rows: Int
  ) throws(ChunkDamage) {
    for _ in 0..<kinds {
      for _ in 0..<3 { _ = try column(from: &input) }
      for _ in 0..<(try input.count("arity", max: Event.argumentsMax)) {
        _ = try column(from: &input)
      }
    }
    for _ in 0..<Chunk.strides(rows: rows) {
      _ = try input.signed("stride time")
      _ = try input.count("wide differences", max: rows)
    }
    _ = try input.count("wide differences", max: rows)
  }

  private static func column(from input: inout ByteReader) throws(ChunkDamage) -> ColumnPlace {
    let at = input.position
    let code = try input.byte("column")
    let width = Int(code & 15)
    guard let mode = ColumnMode(rawValue: code >> 4), width <= 8,
      (mode == .constant) == (width == 0)
    else {
      throw ChunkDamage("column", found: UInt64(code), expected: "a mode and a width", at: at)
    }
    let base = try input.varint("column base")
    return ColumnPlace(mode: mode, width: width, base: base, start: 0, count: 0)
  }

  private static func place(
    rowsBefore: RowsBefore,
    isEnd: Bool,
    directory: inout ByteReader,
    data: inout ByteReader
  ) throws(ChunkDamage) -> KindPlace {
    let count = rowsBefore.total
    var place = KindPlace(
      rowsBefore: rowsBefore,
      codes: nil,
      sitesBefore: rowsBefore,
      identitiesBefore: rowsBefore,
      site: try column(from: &directory),
      identity: try column(from: &directory),
      shape: try column(from: &directory),
      arguments: InlineArray(repeating: ColumnPlace())
    )
    place.arity = try directory.count("arity", max: Event.argumentsMax)
    for argument in 0..<place.arity { place.arguments[argument] = try column(from: &directory) }
    if isEnd {
      let codes = try data.take(count, "end codes")
      place.codes = codes.lowerBound
      var sites = 0
      var identities = 0
      for stride in 0..<Chunk.stridesMax {
        let first = codes.lowerBound + rowsBefore[stride]
        let column = data.bytes[first..<(codes.lowerBound + rowsBefore[stride + 1])]
        for code in column {
          if code >= UInt8(EndCode.depthMax) { sites += 1 }
          if code >= EndCode.siteLimit { identities += 1 }
        }
        place.sitesBefore.end(stride, with: sites)
        place.identitiesBefore.end(stride, with: identities)
      }
    }
    try lay(&place.site, count: place.sitesBefore.total, data: &data)
    try lay(&place.identity, count: place.identitiesBefore.total, data: &data)
    try lay(&place.shape, count: count, data: &data)
    for index in 0..<place.arity {
      try lay(&place.arguments[index], count: count, data: &data)
    }
    return place
  }

  private static func lay(
    _ column: inout ColumnPlace,
    count: Int,
    data: inout ByteReader
  ) throws(ChunkDamage) {
    column.count = count
    column.start = try data.take(count * column.width, "column").lowerBound
  }

  /// Counts the rows of each kind before each stride.
  private func rowsBefore(
    bytes: [UInt8],
    rows: Int,
    kinds: Int
  ) throws(ChunkDamage) -> [RowsBefore] {
    var counts = [Int](repeating: 0, count: 256)
    var before = [RowsBefore](repeating: RowsBefore(), count: kinds)
    for stride in 0..<Chunk.strides(rows: rows) {
      let start = stride * Chunk.strideRows
      let end = min(start + Chunk.strideRows, rows)
      let column = bytes[(kindColumn + start)..<(kindColumn + end)]
      column.withUnsafeBufferPointer { ChunkLayout.count($0, into: &counts) }
      for kind in 0..<kinds { before[kind].end(stride, with: counts[kind]) }
    }
    for kind in kinds..<256 where counts[kind] > 0 {
      throw ChunkDamage(
        "kind of a row",
        found: UInt64(kind),
        expected: "below \(kinds)",
        at: kindColumn
      )
    }
    for kind in 0..<kinds where counts[kind] == 0 {
      throw ChunkDamage("rows of a kind", found: 0, expected: "at least one", at: kindColumn)
    }
    return before
  }

  /// Counts each byte.
  ///
  /// Four tables in turn: a run of one kind would wait for its own counter.
  private static func count(_ column: UnsafeBufferPointer<UInt8>, into counts: inout [Int]) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4 * 256) { table in
      table.initialize(repeating: 0)
      var row = 0
      while row + 3 < column.count {
        table[Int(column[row])] &+= 1
        table[256 + Int(column[row + 1])] &+= 1
        table[512 + Int(column[row + 2])] &+= 1
        table[768 + Int(column[row + 3])] &+= 1
        row += 4
      }
      while row < column.count {
        table[Int(column[row])] &+= 1
        row += 1
      }
      for kind in 0..<256 {
        counts[kind] += Int(table[kind] + table[256 + kind] + table[512 + kind] + table[768 + kind])
      }
    }
  }
}
