// SPDX-License-Identifier: Apache-2.0

/// A send or a receive of a chunk, as its header has it.
public struct MessageEdge: Hashable, Sendable {
  /// Which event of the chunk, from 0.
  public var row: Int
  /// When, on the writer's clock.
  public var time: HostTime
  /// Which message.
  public var flow: UInt64
  /// Sent; else received.
  public var isSend: Bool
  /// By how many nanoseconds an event before it in the chunk is later, which it is ordered behind.
  public var lateness: UInt64

  /// The event at `row`.
  public init(row: Int, time: HostTime, flow: UInt64, isSend: Bool, lateness: UInt64 = 0) {
    self.row = row
    self.time = time
    self.lateness = lateness
    self.flow = flow
    self.isSend = isSend
  }

  /// Finds those of a chunk, whose events it is handed in order.
  package struct Finder {
    /// Those among the events so far.
    package private(set) var found: [MessageEdge] = []
    private var row = 0
    private var latest = HostTime(rawValue: .min)

    /// Begins before the first event of a chunk.
    package init() {}

    /// Goes on with the event at `row`.
    package mutating func begin(at row: Int) { self.row = row }

    /// Takes the next event.
    @inline(__always)
    package mutating func add(_ event: borrowing Event) {
      defer { row += 1 }
      latest = max(latest, event.time)
      let kind = event.kind
      guard kind == .messageSend || kind == .messageReceive else { return }
      found.append(
        MessageEdge(
          row: row,
          time: event.time,
          flow: event.identity,
          isSend: kind == .messageSend,
          lateness: UInt64(bitPattern: latest.rawValue &- event.time.rawValue)
        )
      )
    }
  }
}

// All of them in order: where the next one is and what, when, and which message.
extension [MessageEdge] {
  /// How flows stand in a table.
  private enum Flows: UInt8 {
    /// As words.
    case words = 0
    /// Each as its difference to the one before: they were counted.
    case differences = 1
  }

  func encode(into out: inout ByteWriter) {
    out.varint(count)
    var row = 0
    for edge in self {
      out.varint((edge.row - row) << 2 | (edge.lateness > 0 ? 2 : 0) | (edge.isSend ? 0 : 1))
      row = edge.row
    }
    var time: Int64 = 0
    for edge in self {
      out.signed(edge.time.rawValue &- time)
      time = edge.time.rawValue
      if edge.lateness > 0 { out.varint(edge.lateness) }
    }
    var differences = ByteWriter()
    var flow: UInt64 = 0
    for edge in self {
      differences.signed(Int64(bitPattern: edge.flow &- flow))
      flow = edge.flow
    }
    guard differences.count >= 8 * count else {
      out.byte(Flows.differences.rawValue)
      out.bytes += differences.bytes
      return
    }
    out.byte(Flows.words.rawValue)
    for edge in self { out.word(edge.flow) }
  }

  /// Reads what ``encode(into:)`` wrote of a chunk of `rows` events.
  init(from input: inout ByteReader, rows: Int) throws(ChunkDamage) {
    self = []
    let count = try input.count("messages", max: rows, bytesEach: 3)
    reserveCapacity(count)
    var row = 0
    for number in 0..<count {
      let word = try input.count("message row", max: 4 * Chunk.rowsMax + 3)
      let step = word >> 2
      row += step
      guard row < rows, number == 0 || step > 0 else {
        throw ChunkDamage(
          "message row",
          found: UInt64(row),
          expected: "one behind that before it, of \(rows)",
          at: input.position
        )
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
    let code = try input.byte("message flows")
    guard let flows = Flows(rawValue: code) else {
      throw ChunkDamage(
        "message flows",
        found: UInt64(code),
        expected: "0 or 1",
        at: input.position
      )
    }
    var flow: UInt64 = 0
    for index in indices {
      switch flows {
      case .words: flow = try input.word("message flow")
      case .differences: flow &+= UInt64(bitPattern: try input.signed("message flow"))
      }
      self[index].flow = flow
    }
  }

  /// Those of a chunk without its first rows.
  package func dropping(rows: Int) -> [MessageEdge] {
    guard rows > 0 else { return self }
    return compactMap { edge in
      guard edge.row >= rows else { return nil }
      var edge = edge
      edge.row -= rows
      return edge
    }
  }
}
