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
///
/// Where the counter begins anew, the same ticks come a second time. A block holds its records in
/// the order in which they were made, so it is known for each block up to where the earlier run goes.
struct PoolReader {
  /// What is known of a block.
  private struct Block {
    var serial: UInt64 = 0
    var read: UInt32 = 0
    var consumed: UInt32 = 0
    var thread: UInt32 = 0
    var isTouched = false
    /// The run of the counter that the next record is of.
    var run: UInt32 = 0
    /// The record with which the present run begins; 0 where all are of one run.
    var runEnd: UInt32 = 0
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

  /// Positions of an earlier recorder: how far events are in the trace, or counted, by serial.
  var recovered: [UInt64: UInt32] = [:]

  mutating func recover(_ position: ConsumedPosition) {
    recovered[position.serial] = max(recovered[position.serial] ?? 0, position.records)
  }

  /// What the earlier recorder had consumed is done with even where the trace does not hold it.
  var trustsConsumed = false

  /// Reads all write indices; records that were not taken last time are seen again.
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
      if view.serial != blocks[index].serial { claim(index, view, place, fit.run) }
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
          time: time(of: records[Int(at)].tick, in: index, fit),
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
    _ place: UnsafeMutableRawPointer,
    _ run: UInt32
  ) {
    let consumed = trustsConsumed ? lt_drain_consumed(place) : 0
    let taken = max(UInt64(recovered[view.serial] ?? 0), consumed)
    let before = UInt32(min(taken, UInt64(Self.blockRecords)))
    // Behind what an earlier recorder took, another thread may have gone on.
    let thread = before == 0 ? view.thread : lt_drain_thread_at(place, UInt64(before))
    blocks[index] = Block(
      serial: view.serial,
      read: before,
      consumed: before,
      thread: thread,
      run: run
    )
  }

  /// The counter has begun anew: committed records with a tick beyond the new ones are of the run
  /// before.
  mutating func beginRun(_ pool: PoolFile, _ fit: borrowing ClockFit) {
    let ready = pool.blocksReady
    if blocks.count < ready {
      blocks.append(contentsOf: repeatElement(Block(), count: ready - blocks.count))
    }
    var view = lt_block_view()
    for index in 0..<ready {
      let place = pool.block(index)
      guard lt_drain_look(place, &view), view.state != LT_BLOCK_FREE.rawValue else { continue }
      if view.serial != blocks[index].serial { claim(index, view, place, fit.run - 1) }
      let records = UnsafeRawPointer(place + Int(LT_BLOCK_HEADER_BYTES))
        .assumingMemoryBound(to: lt_record.self)
      let end = UInt32(min(view.committed, UInt64(Self.blockRecords)))
      var at = blocks[index].read
      while at < end, records[Int(at)].tick > fit.restartTick { at += 1 }
      let isAllNew = at == blocks[index].read
      blocks[index].runEnd = isAllNew ? 0 : at
      if isAllNew { blocks[index].run = fit.run }
    }
  }

  @inline(__always)
  private func time(of tick: UInt64, in index: Int, _ fit: borrowing ClockFit) -> Int64 {
    if fit.run == 0 { return fit.time(of: tick).rawValue }
    return timeAfterRestart(tick, blocks[index].run, fit)
  }

  /// A thread that was kept from the processor between its look at the counter and its commit
  /// brings a tick of the run before: in this one it would be far in the future.
  private func timeAfterRestart(_ tick: UInt64, _ run: UInt32, _ fit: borrowing ClockFit) -> Int64 {
    let time = fit.time(of: tick, run: run).rawValue
    guard run == fit.run, run > 0, time - fit.time(of: fit.seen).rawValue > Self.strayMin else {
      return time
    }
    return fit.time(of: tick, run: run - 1).rawValue
  }

  /// No record is so far ahead of the last look.
  private static var strayMin: Int64 { 1_000_000_000 }

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
    if at == blocks[index].runEnd {
      blocks[index].run = fit.run
      blocks[index].runEnd = 0
    }
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
      cursors[0].time = time(of: cursors[0].records[Int(at)].tick, in: index, fit)
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

  /// How far every block is read.
  func allPositions() -> [ConsumedPosition] {
    blocks.filter { $0.read > 0 }.map { ConsumedPosition(serial: $0.serial, records: $0.read) }
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

  /// No process drops more, whatever its counter says.
  static var droppedMax: UInt64 { 1 << 40 }

  /// Events of a family that the process has dropped, and that are not reported yet.
  func nextDropped(_ pool: PoolFile) -> LossCount? {
    for family in EventFamily.allCases where Int(family.rawValue) < seenDropped.count {
      let index = Int(family.rawValue)
      let now = lt_drain_dropped(pool.base, UInt32(index))
      guard now > seenDropped[index], seenDropped[index] < Self.droppedMax else { continue }
      let count = min(now, Self.droppedMax) - seenDropped[index]
      return LossCount(family: family, count: count)
    }
    return nil
  }

  /// They are reported now, or were by an earlier recorder.
  mutating func noteDropped(_ loss: LossCount) {
    guard Int(loss.family.rawValue) < seenDropped.count else { return }
    seenDropped[Int(loss.family.rawValue)] &+= loss.count
  }
}
