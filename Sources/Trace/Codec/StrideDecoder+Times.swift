// SPDX-License-Identifier: Apache-2.0

// The times of a stride without its events: what the order of many writers asks for.

extension StrideDecoder {
  /// Writes the time of each row; the events are left as they are.
  mutating func runTimes(into times: UnsafeMutablePointer<Int64>) throws(ChunkDamage) {
    let kinds = payload.pointee.kinds.indices
    var clock = clock()
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
      guard let next = next.baseAddress else { return }
      var start = 0
      for kind in kinds {
        (next + kind).initialize(to: start)
        joinPlanes(kind, rows: start)
        start += places[kind].rowsBefore.count(in: stride)
      }
      let kindBytes = bytes + payload.pointee.layout.kindColumn + stride * Chunk.strideRows
      let differences = space.differences
      var time = clock.time
      for row in 0..<rows {
        let kind = Int(kindBytes[row])
        let difference = differences[next[kind]]
        next[kind] &+= 1
        time = difference == .max ? clock.jump(from: time) : time &+ Int64(difference)
        times[row] = time
      }
      clock.rise(to: time)
    }
    try check(clock)
    if clock.isShort { throw Self.short(clock, at: payload.pointee.layout.kindColumn) }
  }

  /// At the time of the first row.
  func clock() -> Clock {
    let start = payload.pointee.layout.strides[stride]
    return Clock(
      time: start.time,
      wide: start.widesBefore,
      wideCount: payload.pointee.layout.wideCount,
      wides: bytes + payload.pointee.layout.wides
    )
  }

  /// Compares where the times have been with what the header says.
  func check(_ clock: Clock) throws(ChunkDamage) {
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

  private static func short(_ clock: Clock, at offset: Int) -> ChunkDamage {
    ChunkDamage(
      "wide differences",
      found: UInt64(clock.wide) + 1,
      expected: "below \(clock.wideCount + 1)",
      at: offset
    )
  }
}
