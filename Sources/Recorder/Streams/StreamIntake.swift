// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import LifetraceAssembly
import LifetraceLifecycle
import LifetraceTrace

/// The intake of a ``WriterStream``: records are read, translated, numbered and put into the open
/// chunk.
///
/// A value, so that its fields are checked for exclusive access once a drain and not once an event.
struct StreamIntake {
  var reader = PoolReader()
  var tables = PoolTables()
  /// The open chunk, and the state that it is folded into.
  private(set) var assembler = StreamAssembler()
  /// The number of the next event.
  private(set) var sequence: UInt64 = 0
  private(set) var lastTime = HostTime(rawValue: .min)
  /// Those that the open chunk's header reports.
  private var losses: [LossCount] = []
  /// Events counted instead of written: the file has reached its size.
  var refused = RefusedEvents()
  /// What the open chunk takes, where that has a limit.
  var size: OpenSize?
  /// Events with a name that had no room, by family.
  private var namesLost = [UInt64](repeating: 0, count: EventFamily.allCases.count)

  /// The folded state after the last event.
  var state: LifeState { assembler.state }
  var isEmpty: Bool { assembler.isEmpty }
  var isFull: Bool { assembler.isFull || size?.isReached ?? false }
  /// How many events the open chunk has.
  var count: Int { assembler.count }
  /// The number of the first event that no chunk holds.
  var sequenceSealed: UInt64 { sequence - UInt64(count) }
  /// The newest events, from the one at `index` of the open chunk on.
  func events(from index: Int) -> ArraySlice<Event> { assembler.events(from: index) }

  /// What is not sealed was numbered, and is no more than a chunk holds.
  func checkInvariants() -> Bool {
    UInt64(count) <= sequence && count <= Chunk.rowsMax && (isEmpty || lastTime.rawValue > .min)
  }

  /// Continues a stream of which `sequence` events are in the file.
  mutating func resume(at sequence: UInt64, state: LifeState, lastTime: HostTime) {
    self.sequence = sequence
    assembler = StreamAssembler(state: state)
    self.lastTime = lastTime
  }

  /// Begins with what the incarnation before has left.
  mutating func beginIncarnation(after state: LifeState, names: borrowing Names) {
    var next = LifeState()
    next.beginIncarnation(after: state, names: names)
    assembler = StreamAssembler(state: next)
  }

  /// Takes what lies before `limit` until the chunk is full; how many events.
  ///
  /// A clock that lies must not stop the stream: records with a time outside `clamp` get its bound.
  mutating func take(
    upTo limit: Int64,
    clamp: ClosedRange<Int64>,
    _ fit: borrowing ClockFit,
    _ words: borrowing KindWords,
    _ names: borrowing Names
  ) -> Int {
    var count = 0
    while !isFull, let (record, thread, time) = reader.next(upTo: limit, fit) {
      let possible = min(max(time, clamp.lowerBound), clamp.upperBound)
      let event = translate(record, thread, HostTime(rawValue: possible), words)
      append(event, names)
      count += 1
    }
    return count
  }

  /// Counts what lies before `limit` without keeping it; how many events.
  mutating func refuse(upTo limit: Int64, _ fit: borrowing ClockFit) -> Int {
    var count = 0
    while let (record, _, time) = reader.next(upTo: limit, fit) {
      refused.add(EventKind(rawValue: record.kind).family, at: HostTime(rawValue: time))
      count += 1
    }
    return count
  }

  /// The events that were read are in the file, or counted: the process may use their memory again.
  mutating func consume(_ pool: PoolFile) {
    reader.consume(pool)
    refused.isKept = true
  }

  /// The ledger's contents before refused events are consumed.
  var refusals: RefusalLedger.Record {
    RefusalLedger.Record(counts: refused.counts, positions: reader.allPositions())
  }

  /// Continues the count of a killed recorder's refused events; the trace reports `told` of them.
  mutating func adoptRefused(_ record: RefusalLedger.Record, told: [LossCount]) {
    refused.adopt(record.counts, told: told, since: lastTime)
    for position in record.positions { reader.recover(position) }
  }

  /// Events of a family that have lost a name and that the trace does not report yet.
  var nextNamesLost: LossCount? {
    for family in EventFamily.allCases where namesLost[Int(family.rawValue)] > 0 {
      return LossCount(family: family, count: namesLost[Int(family.rawValue)])
    }
    return nil
  }

  mutating func noteNamesLost(_ loss: LossCount) { namesLost[Int(loss.family.rawValue)] = 0 }

  /// Counts a loss in the header of the open chunk.
  mutating func count(_ loss: LossCount) {
    if let index = losses.firstIndex(where: { $0.family == loss.family }) {
      losses[index].count += loss.count
    } else {
      losses.append(loss)
    }
  }

  /// The names that this stream knows are those of `new` now; between two chunks only.
  mutating func rename(from old: borrowing Names, to new: inout Names) {
    tables = PoolTables()
    assembler.rename(from: old, to: &new)
  }

  @inline(__always)
  private mutating func translate(
    _ record: lt_record,
    _ thread: UInt32,
    _ time: HostTime,
    _ words: borrowing KindWords
  ) -> Event {
    let mask = words.masks[Int(record.kind)]
    let count = min(record.arg_count, UInt8(Event.argumentsMax))
    var arg = (record.arg.0, record.arg.1, record.arg.2, record.arg.3)
    var strings = mask & 15
    var site = SiteID.none
    if record.site == LT_NAME_LOST {
      site = tables.lostSite
    } else if record.site != 0, Int(record.site) < tables.sites.count {
      site = tables.sites[Int(record.site)]
      let labels = tables.labelMasks[Int(record.site)]
      if labels != 0 { strings |= (labels << (mask >> 5)) & 15 }
    }
    if strings != 0 {
      if strings & 1 != 0 { arg.0 = UInt64(tables.string(arg.0).rawValue) }
      if strings & 2 != 0 { arg.1 = UInt64(tables.string(arg.1).rawValue) }
      if strings & 4 != 0 { arg.2 = UInt64(tables.string(arg.2).rawValue) }
      if strings & 8 != 0 { arg.3 = UInt64(tables.string(arg.3).rawValue) }
    }
    var identity = record.identity
    if mask & 16 != 0 { identity = UInt64(tables.string(identity).rawValue) }
    if tables.lost != .empty {
      let lost = UInt64(tables.lost.rawValue)
      let isLost =
        site == tables.lostSite || mask & 16 != 0 && identity == lost
        || strings & 1 != 0 && arg.0 == lost || strings & 2 != 0 && arg.1 == lost
        || strings & 4 != 0 && arg.2 == lost || strings & 8 != 0 && arg.3 == lost
      if isLost {
        namesLost[Int(EventKind(rawValue: record.kind).family.rawValue)] += 1
      }
    }
    return Event(
      EventKind(rawValue: record.kind),
      at: time,
      thread: ThreadID(rawValue: thread),
      site: site,
      identity: identity,
      arguments: arg,
      argumentCount: count,
      observer: record.observer == UInt8(LT_OBSERVER_INTERPOSED) ? .observe : .own,
      flags: EventFlags(rawValue: record.flags).subtracting(.late)
    )
  }

  /// Numbers the event, folds it and keeps it.
  @inline(__always)
  mutating func append(_ event: Event, _ names: borrowing Names) {
    var event = event
    event.sequence = sequence
    if event.time < lastTime {
      event.flags.insert(.late)
    } else {
      lastTime = event.time
    }
    assembler.append(event, names)
    size?.add(event, names)
    sequence += 1
  }

  /// The open chunk, encoded; the next one begins.
  mutating func seal(
    writer: WriterID,
    attributes: WriterAttributes,
    keepsLast: Bool,
    settling: Settling,
    names: borrowing Names
  ) -> EncodedChunk {
    let header = ChunkHeader(
      writer: writer,
      attributes: attributes,
      firstSequence: sequenceSealed,
      losses: losses,
      consumed: reader.positions(),
      keepsLast: keepsLast,
      settling: settling
    )
    losses = []
    size?.reset()
    return assembler.seal(header, names: names)
  }

  /// Gives back the memory of a stream that has ended; it can still be appended to.
  mutating func rest() {
    assembler.rest()
    reader = PoolReader()
    tables = PoolTables()
  }
}
