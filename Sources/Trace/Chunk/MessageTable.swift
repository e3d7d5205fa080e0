// SPDX-License-Identifier: Apache-2.0

// All of them in order, as columns of bits: where the next one is; what; when the latest event up to it was,
// by how much it is before that where it is; which message.
extension [MessageEdge] {
  /// How flows stand in a table.
  private enum Flows: UInt8 {
    /// As words.
    case words = 0
    /// Each as its difference to the one before of its direction: they were counted.
    case differences = 1
  }

  /// Writes those of a chunk whose least time is `first`.
  func encode(from first: HostTime, into out: inout ByteWriter) {
    out.varint(count)
    guard !isEmpty else { return }
    var (row, latest) = (-1, first.rawValue)
    var counted = CountedFlows()
    var (rows, marks, times, late) = ([UInt64](), [UInt64](), [UInt64](), [UInt64]())
    var differences: [UInt64] = []
    rows.reserveCapacity(count)
    marks.reserveCapacity(count)
    times.reserveCapacity(count)
    differences.reserveCapacity(count)
    for edge in self {
      rows.append(UInt64(edge.row - row))
      row = edge.row
      marks.append((edge.lateness > 0 ? 2 : 0) | (edge.isSend ? 0 : 1))
      let last = edge.time.rawValue &+ Int64(bitPattern: edge.lateness)
      times.append(UInt64(bitPattern: last &- latest))
      latest = last
      if edge.lateness > 0 { late.append(edge.lateness) }
      differences.append(counted.difference(of: edge.flow, isSend: edge.isSend))
    }
    BitColumn(rows).encode(into: &out)
    BitColumn(marks).encode(into: &out)
    BitColumn(times).encode(into: &out)
    if !late.isEmpty { BitColumn(late).encode(into: &out) }
    let steps = BitColumn(differences)
    // Those that were counted are near to each other; only of others it is looked which way is shorter.
    let each = steps.bits > 16 * count ? BitColumn(map(\.flow)) : nil
    if let each, each.bits < steps.bits {
      out.byte(Flows.words.rawValue)
      each.encode(into: &out)
    } else {
      out.byte(Flows.differences.rawValue)
      steps.encode(into: &out)
    }
  }

  /// Reads what ``encode(from:into:)`` wrote of a chunk of `rows` events.
  init(
    from input: inout ByteReader,
    rows: Int,
    first: HostTime
  ) throws(ChunkDamage) {
    let count = try input.count("messages", max: rows)
    self = Array(
      repeating: MessageEdge(row: 0, time: first, flow: 0, isSend: true),
      count: count
    )
    guard count > 0 else { return }
    try withUnsafeMutableBufferPointer { (edges) throws(ChunkDamage) in
      try Self.read(edges, from: &input, rows: rows, first: first)
    }
  }

  private static func read(
    _ edges: UnsafeMutableBufferPointer<MessageEdge>,
    from input: inout ByteReader,
    rows: Int,
    first: HostTime
  ) throws(ChunkDamage) {
    let count = edges.count
    var row = -1
    let at = input.position
    try BitColumn.decode("message row", count: count, from: &input) {
      (place, step) throws(ChunkDamage) in
      guard step > 0, step < UInt64(rows - row) else {
        throw Self.damage(row: UInt64(bitPattern: Int64(row)) &+ step, of: rows, at: at)
      }
      row += Int(step)
      edges[place].row = row
    }
    var lateCount = 0
    let marksAt = input.position
    try BitColumn.decode("message direction", count: count, from: &input) {
      (place, mark) throws(ChunkDamage) in
      guard mark < 4 else {
        throw ChunkDamage("message direction", found: mark, expected: "0 to 3", at: marksAt)
      }
      edges[place].isSend = mark & 1 == 0
      edges[place].lateness = mark >> 1
      lateCount += Int(mark >> 1)
    }
    var latest = first.rawValue
    try BitColumn.decode("message time", count: count, from: &input) { place, step in
      latest &+= Int64(bitPattern: step)
      edges[place].time = HostTime(rawValue: latest)
    }
    if lateCount > 0 {
      var next = 0
      try BitColumn.decode("message lateness", count: lateCount, from: &input) { _, lateness in
        while edges[next].lateness == 0 { next += 1 }
        edges[next].lateness = lateness
        let time = edges[next].time.rawValue &- Int64(bitPattern: lateness)
        edges[next].time = HostTime(rawValue: time)
        next += 1
      }
    }
    var counted = CountedFlows()
    switch try Self.flows(from: &input) {
    case .words:
      try BitColumn.decode("message flow", count: count, from: &input) { edges[$0].flow = $1 }
    case .differences:
      try BitColumn.decode("message flow", count: count, from: &input) { place, step in
        edges[place].flow = counted.flow(step, isSend: edges[place].isSend)
      }
    }
  }

  private static func flows(from input: inout ByteReader) throws(ChunkDamage) -> Flows {
    let code = try input.byte("message flows")
    guard let flows = Flows(rawValue: code) else {
      throw ChunkDamage(
        "message flows",
        found: UInt64(code),
        expected: "0 or 1",
        at: input.position
      )
    }
    return flows
  }

  private static func damage(row: UInt64, of rows: Int, at position: Int) -> ChunkDamage {
    ChunkDamage(
      "message row",
      found: row,
      expected: "one behind that before it, of \(rows)",
      at: position
    )
  }
}

/// Flows by their differences: those that are sent were counted here, those received elsewhere.
private struct CountedFlows {
  private var sent: UInt64 = 0
  private var received: UInt64 = 0

  mutating func difference(of flow: UInt64, isSend: Bool) -> UInt64 {
    defer { if isSend { sent = flow } else { received = flow } }
    return zigzag(Int64(bitPattern: flow &- (isSend ? sent : received)))
  }

  @inline(__always)
  mutating func flow(_ difference: UInt64, isSend: Bool) -> UInt64 {
    let step = UInt64(bitPattern: unzigzag(difference))
    if isSend {
      sent &+= step
      return sent
    }
    received &+= step
    return received
  }
}

// As it stood in tag 34, in varints.
extension [MessageEdge] {
  /// Reads the table that earlier versions wrote, of a chunk of `rows` events.
  init(fromVarints input: inout ByteReader, rows: Int) throws(ChunkDamage) {
    self = []
    let count = try input.count("messages", max: rows, bytesEach: 3)
    reserveCapacity(count)
    var row = 0
    for number in 0..<count {
      let word = try input.count("message row", max: 4 * Chunk.rowsMax + 3)
      let step = word >> 2
      row += step
      guard row < rows, number == 0 || step > 0 else {
        throw Self.damage(row: UInt64(row), of: rows, at: input.position)
      }
      append(
        MessageEdge(
          row: row,
          time: HostTime(rawValue: 0),
          flow: 0,
          isSend: word & 1 == 0,
          lateness: UInt64(word & 2)
        )
      )
    }
    var time: Int64 = 0
    for index in indices {
      time &+= try input.signed("message time")
      self[index].time = HostTime(rawValue: time)
      if self[index].lateness > 0 { self[index].lateness = try input.varint("message lateness") }
    }
    let flows = try Self.flows(from: &input)
    var flow: UInt64 = 0
    for index in indices {
      switch flows {
      case .words: flow = try input.word("message flow")
      case .differences: flow &+= UInt64(bitPattern: try input.signed("message flow"))
      }
      self[index].flow = flow
    }
  }
}
