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

extension [MessageEdge] {
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
