// SPDX-License-Identifier: Apache-2.0

// Each row is written once: its template with number, time and thread.

extension StrideDecoder {
  /// Writes each event, its template with number, time and thread, and lists the rows of each kind.
  mutating func writeRows(_ starts: [Int]) throws(ChunkDamage) {
    var clock = clock()
    for kind in payload.pointee.kinds.indices { joinPlanes(kind, rows: starts[kind]) }
    let threads = payload.pointee.threads
    withUnsafeTemporaryAllocation(of: Event.self, capacity: 256) { templates in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
        for kind in payload.pointee.kinds.indices {
          templates.initializeElement(at: kind, to: template(kind))
          next.initializeElement(at: kind, to: starts[kind])
        }
        guard let templates = UnsafePointer(templates.baseAddress), let next = next.baseAddress
        else { return }
        guard let column = payload.pointee.layout.threadColumn else {
          let only = threads[0]
          write(templates, next, &clock) { _ in only }
          return
        }
        let low = bytes + column + stride * Chunk.strideRows
        if threads.count > 256 {
          let high = low + payload.pointee.header.eventCount
          check(threads: threads.count) { UInt32(low[$0]) | UInt32(high[$0]) << 8 }
          write(templates, next, &clock) { row in
            let local = Int(low[row]) | Int(high[row]) << 8
            return threads[local < threads.count ? local : 0]
          }
          return
        }
        check(threads: threads.count) { UInt32(low[$0]) }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 256) { table in
          table.initialize(repeating: threads[0])
          for local in threads.indices { table[local] = threads[local] }
          guard let table = table.baseAddress else { return }
          write(templates, next, &clock) { table[Int(low[$0])] }
        }
      }
    }
    if clock.isShort { wrong = ("wide differences", UInt64(clock.wide) + 1, clock.wideCount + 1) }
    try check(clock)
  }

  /// Puts the four planes of a kind's time differences together, many rows in one instruction.
  func joinPlanes(_ kind: Int, rows start: Int) {
    let place = places + kind
    let first = place.pointee.rowsBefore[stride]
    let times = place.pointee.times
    let plane0 = bytes + times[0] + first
    let plane1 = bytes + times[1] + first
    let plane2 = bytes + times[2] + first
    let plane3 = bytes + times[3] + first
    let differences = space.differences + start
    for index in 0..<place.pointee.rowsBefore.count(in: stride) {
      differences[index] =
        UInt32(plane0[index]) | UInt32(plane1[index]) << 8 | UInt32(plane2[index]) << 16
        | UInt32(plane3[index]) << 24
    }
  }

  /// Compares the thread numbers of all rows with the size of their table.
  @inline(__always)
  mutating func check(threads count: Int, local: (Int) -> UInt32) {
    var most: UInt32 = 0
    for row in 0..<rows { most = max(most, local(row)) }
    if most >= count { wrong = ("thread number", UInt64(most), count) }
  }

  /// Where the times of a stride are, and where they have been.
  ///
  /// Between two wide differences times only rise, so that it is enough to look at the ends.
  struct Clock {
    var time: Int64
    var wide: Int
    let wideCount: Int
    let wides: UnsafePointer<UInt8>
    var least = Int64.max
    var greatest = Int64.min
    var isShort = false

    /// Takes note that times rose to `end`, none having been below ``time``.
    mutating func rise(to end: Int64) {
      // Past the last number there is: no stride rises so far without.
      least = end < time ? .min : min(least, time)
      greatest = end < time ? .max : max(greatest, end)
    }

    /// The time of the row after one at `before`, by the next wide difference.
    @inline(never)
    mutating func jump(from before: Int64) -> Int64 {
      rise(to: before)
      guard wide < wideCount else {
        isShort = true
        return before
      }
      let difference = (0..<8).reduce(0) { $0 | Int64(wides[wide * 8 + $1]) << Int64(8 * $1) }
      wide += 1
      time = before &+ difference
      return time
    }
  }

  @inline(__always)
  func write(
    _ templates: UnsafePointer<Event>,
    _ next: UnsafeMutablePointer<Int>,
    _ clock: inout Clock,
    thread: (Int) -> UInt32
  ) {
    let first = stride * Chunk.strideRows
    let kindBytes = bytes + payload.pointee.layout.kindColumn + first
    let sequence = payload.pointee.header.firstSequence &+ UInt64(first)
    let (positions, differences) = (space.positions, space.differences)
    // In a register: through memory each row would wait for the one before.
    var time = clock.time
    for row in 0..<rows {
      let kind = Int(kindBytes[row])
      let place = next[kind]
      next[kind] = place &+ 1
      positions[place] = UInt16(truncatingIfNeeded: row)
      let difference = differences[place]
      let event = events + row
      event.initialize(to: templates[kind])
      event.pointee.sequence = sequence &+ UInt64(row)
      time = difference == .max ? clock.jump(from: time) : time &+ Int64(difference)
      event.pointee.time = HostTime(rawValue: time)
      event.pointee.thread = ThreadID(rawValue: thread(row))
    }
    clock.rise(to: time)
  }

  @inline(__always)
  func field<T>(_ row: Int, _ offset: Int, as type: T.Type) -> UnsafeMutablePointer<T> {
    (UnsafeMutableRawPointer(events + row) + offset).assumingMemoryBound(to: type)
  }
}
