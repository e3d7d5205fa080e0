// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import LifetraceTrace

/// Reads what the threads of one process have committed, in one order.
///
///     reader.look()                        // all write indices, after the time T was taken
///     while let (record, thread) = reader.next(upTo: limit, fit) { … }
///     reader.positions()                   // what the chunk has consumed, for its header
///     reader.consume()                     // after the chunk was written: blocks become free
///
/// The order is (time, thread, position). Reading is ahead of consuming: a
/// record is consumed only when the chunk that holds it stands in the file.
struct PoolReader {
  /// What is known of a block.
  private struct Block {
    var serial: UInt64 = 0
    var read: UInt32 = 0
    var consumed: UInt32 = 0
    var thread: UInt32 = 0
    var isTouched = false
  }

  /// A block with records that wait.
  struct Cursor {
    var records: UnsafePointer<lt_record>
    var index: Int
    var at: UInt32
    var end: UInt32
    var thread: UInt32
    var serial: UInt64
    var time: Int64
    /// Its place among cursors of the same time.
    var rank: Int

    @inline(__always)
    func isBefore(_ other: Cursor) -> Bool {
      time < other.time || time == other.time && rank < other.rank
    }
  }

  private var blocks: [Block] = []
  private var touched: [Int] = []
  /// A heap, the earliest first: a process that ran ahead has hundreds of blocks waiting.
  private(set) var cursors: [Cursor] = []
  private var seenDropped = [UInt64](repeating: 0, count: Int(LT_FAMILIES))
  /// Records that were read and are not consumed.
  private(set) var unconsumed = 0

  /// Records of a block; a hostile count is cut to it.
  static var blockRecords: UInt32 { UInt32(recordsPerBlock) }
  private static let recordsPerBlock =
    (Int(LT_BLOCK_BYTES) - Int(LT_BLOCK_HEADER_BYTES)) / MemoryLayout<lt_record>.size

  /// Positions of an earlier recorder: what is in the trace already, by serial.
  var recovered: [UInt64: UInt32] = [:]

  /// What the earlier recorder had consumed is done with even where the trace does not hold it.
  var trustsConsumed = false

  /// Reads all write indices; what was not taken last time is seen again.
  mutating func look(_ pool: PoolFile, _ fit: borrowing ClockFit) {
    cursors.removeAll(keepingCapacity: true)
    let ready = pool.blocksReady
    if blocks.count < ready {
      blocks.append(contentsOf: repeatElement(Block(), count: ready - blocks.count))
    }
    var view = lt_block_view()
    for index in 0..<ready {
      let place = pool.block(index)
      guard lt_drain_look(place, &view), view.state != LT_BLOCK_FREE.rawValue else { continue }
      if view.serial != blocks[index].serial { claim(index, view, place) }
      let end = UInt32(min(view.committed, UInt64(Self.blockRecords)))
      guard end > blocks[index].read else { continue }
      let records = UnsafeRawPointer(place + Int(LT_BLOCK_HEADER_BYTES))
        .assumingMemoryBound(to: lt_record.self)
      let at = blocks[index].read
      cursors.append(
        Cursor(
          records: records,
          index: index,
          at: at,
          end: end,
          thread: blocks[index].thread,
          serial: view.serial,
          time: fit.time(of: records[Int(at)].tick).rawValue,
          rank: 0
        )
      )
    }
    guard cursors.count > 1 else { return }
    cursors.sort { ($0.thread, $0.serial) < ($1.thread, $1.serial) }
    for rank in cursors.indices { cursors[rank].rank = rank }
    for parent in (0..<cursors.count / 2).reversed() { sink(parent) }
  }

  private mutating func claim(
    _ index: Int,
    _ view: lt_block_view,
    _ place: UnsafeMutableRawPointer
  ) {
    let consumed = trustsConsumed ? lt_drain_consumed(place) : 0
    let taken = max(UInt64(recovered[view.serial] ?? 0), consumed)
    let before = UInt32(min(taken, UInt64(Self.blockRecords)))
    // Behind what an earlier recorder took, another thread may have gone on.
    let thread = before == 0 ? view.thread : lt_drain_thread_at(place, UInt64(before))
    blocks[index] = Block(serial: view.serial, read: before, consumed: before, thread: thread)
  }

  /// Lets the cursor at `place` sink below those that are earlier.
  @inline(__always)
  private mutating func sink(_ place: Int) {
    var parent = place
    while true {
      var child = 2 * parent + 1
      guard child < cursors.count else { return }
      if child + 1 < cursors.count, cursors[child + 1].isBefore(cursors[child]) { child += 1 }
      guard cursors[child].isBefore(cursors[parent]) else { return }
      cursors.swapAt(child, parent)
      parent = child
    }
  }

  /// The earliest record not after `limit`: a copy, since the process may still change it.
  @inline(__always)
  mutating func next(upTo limit: Int64, _ fit: borrowing ClockFit)
    -> (record: lt_record, thread: UInt32, time: Int64)?
  {
    while let cursor = cursors.first {
      guard cursor.time <= limit else { return nil }
      let record = cursor.records[Int(cursor.at)]
      if UInt32(record.kind) == LT_KIND_THREAD {
        let thread = UInt32(truncatingIfNeeded: record.identity)
        blocks[cursor.index].thread = thread
        cursors[0].thread = thread
        advance(fit)
        continue
      }
      advance(fit)
      return (record, cursor.thread, cursor.time)
    }
    return nil
  }

  /// The earliest cursor goes on to its next record.
  @inline(__always)
  private mutating func advance(_ fit: borrowing ClockFit) {
    let index = cursors[0].index
    let at = cursors[0].at + 1
    blocks[index].read = at
    unconsumed += 1
    if !blocks[index].isTouched {
      blocks[index].isTouched = true
      touched.append(index)
    }
    if at == cursors[0].end {
      let last = cursors.removeLast()
      if cursors.isEmpty { return }
      cursors[0] = last
    } else {
      cursors[0].at = at
      cursors[0].time = fit.time(of: cursors[0].records[Int(at)].tick).rawValue
    }
    if cursors.count > 1 { sink(0) }
  }

  /// The room that blocks take which are read to their end and wait to be consumed: a closed one
  /// is used again only as a whole, however little stands in it.
  func closedRecords(_ pool: PoolFile) -> Int {
    var (view, closed) = (lt_block_view(), 0)
    for index in touched {
      guard lt_drain_look(pool.block(index), &view), view.serial == blocks[index].serial,
        view.state == LT_BLOCK_CLOSED.rawValue, view.committed == UInt64(blocks[index].read)
      else { continue }
      closed += 1
    }
    return closed * Self.recordsPerBlock
  }

  /// Whether records wait that were not read.
  var hasMore: Bool { !cursors.isEmpty }

  /// The time of the earliest record that waits.
  var firstTime: Int64? { cursors.first?.time }

  /// What the chunk consumes of each block.
  func positions() -> [ConsumedPosition] {
    touched.map { ConsumedPosition(serial: blocks[$0].serial, records: blocks[$0].read) }
  }

  /// The chunk is written: the blocks may be used again as far as they were read.
  mutating func consume(_ pool: PoolFile) {
    for index in touched {
      blocks[index].isTouched = false
      blocks[index].consumed = blocks[index].read
      lt_drain_consume(pool.block(index), UInt64(blocks[index].read))
    }
    touched.removeAll(keepingCapacity: true)
    unconsumed = 0
  }

  /// No process drops more between two looks, whatever its counter says.
  static var droppedMax: UInt64 { 1 << 40 }

  /// How many events of each family the process dropped since the last call.
  mutating func takeDropped(_ pool: PoolFile) -> [LossCount] {
    var losses: [LossCount] = []
    for family in EventFamily.allCases where Int(family.rawValue) < seenDropped.count {
      let index = Int(family.rawValue)
      let now = lt_drain_dropped(pool.base, UInt32(index))
      guard now > seenDropped[index] else { continue }
      let count = min(now - seenDropped[index], Self.droppedMax)
      losses.append(LossCount(family: family, count: count))
      seenDropped[index] = now
    }
    return losses
  }

  /// What an earlier recorder had counted already.
  mutating func assumeDropped(_ losses: [LossCount]) {
    for loss in losses where Int(loss.family.rawValue) < seenDropped.count {
      seenDropped[Int(loss.family.rawValue)] &+= loss.count
    }
  }
}
