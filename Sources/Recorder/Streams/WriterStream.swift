// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import LifetraceLifecycle
import LifetraceTrace

/// The stream of one writer while it is recorded: numbers, folds and collects events until a chunk is sealed.
///
/// Used by the recorder's thread alone.
final class WriterStream {
  let id: WriterID
  var attributes: WriterAttributes
  /// Its pool; nil for the device and for bystanders.
  var pool: PoolFile?
  var body: StreamBody
  /// No further event of its own will come.
  var hasEnded = false
  /// Its start stands in the stream.
  var hasStarted = false
  /// Events of host and recorder that wait for their turn, by time.
  var waiting: [Waiting] = []
  /// Those of the open chunk whose records are to be released once it is written.
  var unwritten: [(place: PostJournal.Place, sequence: UInt64)] = []
  /// What is counted instead of written; there is one as soon as something was.
  var ledger: RefusalLedger?
  /// Where the session keeps how far the stream is numbered.
  var writtenPlace: Int?
  /// When the first event of the open chunk was appended, on the host's clock.
  var openSince: Int64 = 0

  init(id: WriterID, attributes: WriterAttributes, pool: PoolFile?) {
    self.id = id
    self.attributes = attributes
    self.pool = pool
    body = StreamBody()
  }

  /// An event of host or recorder, and where it is kept.
  struct Waiting {
    var event: Event
    var place: PostJournal.Place?
  }

  /// Sorts an event of host or recorder in behind those of the same time.
  func enqueue(_ event: Event, keptAt place: PostJournal.Place? = nil) {
    var index = waiting.count
    while index > 0, waiting[index - 1].event.time > event.time { index -= 1 }
    waiting.insert(Waiting(event: event, place: place), at: index)
  }
}

/// The hot part of a ``WriterStream``: a value, so that its fields are checked for exclusive
/// access once a drain and not once an event.
struct StreamBody {
  var reader = PoolReader()
  var tables = PoolTables()
  var encoder = ChunkEncoder()
  /// The folded state after the last event.
  var state = LifeState()
  /// The state before the first event of the open chunk.
  private(set) var stateAtStart = LifeState()
  private(set) var sequence: UInt64 = 0
  private(set) var lastTime = HostTime(rawValue: .min)
  var losses: [LossCount] = []
  /// Events counted instead of written, by family: the file has reached its size.
  private(set) var refused = [UInt64](repeating: 0, count: EventFamily.allCases.count)
  /// How many of them the trace tells of.
  private var refusedTold = [UInt64](repeating: 0, count: EventFamily.allCases.count)
  /// Some are in no record of the ledger yet.
  private(set) var hasUnkeptRefusals = false
  /// Events with a name that had no room, by family.
  private(set) var namesLost = [UInt64](repeating: 0, count: EventFamily.allCases.count)
  /// Since when events are refused.
  var refusedSince: HostTime?
  private var lastFull: UInt64?
  private var chunksSinceFull = 0
  private var payloadGuess = 0

  /// A chunk continues from a keyframe at most so many chunks back.
  static var continuedMax: Int { 8 }

  var isEmpty: Bool { encoder.count == 0 }
  var isFull: Bool { encoder.isFull }
  /// The number of the first event that no chunk holds.
  var sequenceSealed: UInt64 { sequence - UInt64(encoder.count) }

  /// Continues a stream of which `sequence` events are in the file.
  mutating func resume(at sequence: UInt64, state: LifeState, lastTime: HostTime) {
    self.sequence = sequence
    self.state = state
    stateAtStart = state
    self.lastTime = lastTime
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
    while !encoder.isFull, let (record, thread, time) = reader.next(upTo: limit, fit) {
      let possible = min(max(time, clamp.lowerBound), clamp.upperBound)
      let event = translate(record, thread, HostTime(rawValue: possible), words)
      append(event, names)
      count += 1
    }
    return count
  }

  /// What was read is in the file, or counted: the process may use its memory again.
  mutating func consume(_ pool: PoolFile) {
    reader.consume(pool)
    hasUnkeptRefusals = false
  }

  /// What the ledger is to hold before what was refused is consumed.
  var refusals: RefusalLedger.Record {
    RefusalLedger.Record(counts: refused, positions: reader.allPositions())
  }

  /// Goes on counting what a recorder that was killed has refused; `told` of it is in the trace.
  mutating func adoptRefused(_ record: RefusalLedger.Record, told: [LossCount]) {
    for (index, count) in record.counts.enumerated() {
      refused[index] = min(count, PoolReader.droppedMax)
    }
    for loss in told { refusedTold[Int(loss.family.rawValue)] &+= loss.count }
    for position in record.positions { reader.recover(position) }
    if nextRefused != nil { refusedSince = max(lastTime, HostTime(rawValue: 0)) }
  }

  /// What was refused of a family and is not told of in the trace yet.
  var nextRefused: LossCount? {
    for family in EventFamily.allCases {
      let (all, told) = (refused[Int(family.rawValue)], refusedTold[Int(family.rawValue)])
      if all > told { return LossCount(family: family, count: all - told) }
    }
    return nil
  }

  mutating func tellRefused(_ loss: LossCount) {
    refusedTold[Int(loss.family.rawValue)] &+= loss.count
    if nextRefused == nil { refusedSince = nil }
  }

  /// Events of a family that have lost a name and of which the trace does not tell yet.
  var nextNamesLost: LossCount? {
    for family in EventFamily.allCases where namesLost[Int(family.rawValue)] > 0 {
      return LossCount(family: family, count: namesLost[Int(family.rawValue)])
    }
    return nil
  }

  mutating func tellNamesLost(_ loss: LossCount) { namesLost[Int(loss.family.rawValue)] = 0 }

  /// The names that this stream knows are those of `new` now; between two chunks only.
  mutating func rename(from old: inout Names, to new: inout Names) {
    encoder = ChunkEncoder()
    tables = PoolTables()
    state = state.renamed(from: &old, to: &new)
    stateAtStart = state
  }

  /// Counts what lies before `limit` without keeping it.
  mutating func refuse(upTo limit: Int64, _ fit: borrowing ClockFit) -> Int {
    var count = 0
    while let (record, _, time) = reader.next(upTo: limit, fit) {
      refused[Int(EventKind(rawValue: record.kind).family.rawValue)] += 1
      hasUnkeptRefusals = true
      if refusedSince == nil { refusedSince = HostTime(rawValue: time) }
      count += 1
    }
    return count
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
    if encoder.count == 0 { stateAtStart = state }
    encoder.append(event)
    state.apply(event, names: names)
    sequence += 1
  }

  /// The open chunk, encoded; the next one begins.
  mutating func seal(
    writer: WriterID,
    attributes: WriterAttributes,
    clock: ClockReading,
    keepsLast: Bool,
    names: borrowing Names
  ) -> EncodedChunk {
    let first = sequence - UInt64(encoder.count)
    var keyframe = stateAtStart.encode(names: names)
    // Eight rows a byte is far above any payload: the guess of the chunk before is the better one.
    let payload = max(payloadGuess, encoder.count * 2)
    var place = KeyframePlace.full
    if !keepsLast, let lastFull, chunksSinceFull < Self.continuedMax - 1,
      keyframe.count > payload / 10
    {
      place = .continued(from: lastFull)
      keyframe = []
    }
    if keyframe.count > Chunk.keyframeBytesMax {
      // Nothing is known rather than everything known to be empty.
      var unknown = LifeState()
      unknown.lose(.all, since: stateAtStart.lastTime)
      keyframe = unknown.encode(names: names)
    }
    let header = ChunkHeader(
      writer: writer,
      attributes: attributes,
      firstSequence: first,
      losses: losses,
      clocks: [clock.bracket],
      consumed: reader.positions(),
      keyframe: place,
      keepsLast: keepsLast
    )
    if place == .full {
      lastFull = first
      chunksSinceFull = 0
    } else {
      chunksSinceFull += 1
    }
    let chunk = encoder.finish(header: header, keyframe: keyframe, names: names)
    payloadGuess = chunk.payload.count - keyframe.count
    losses = []
    return chunk
  }

  /// Gives back the memory of a stream that has ended; it can still be appended to.
  mutating func rest() {
    encoder = ChunkEncoder()
    reader = PoolReader()
    tables = PoolTables()
    stateAtStart = LifeState()
  }
}

extension LifeState {
  /// The same state with the ids of another table.
  func renamed(from old: inout Names, to new: inout Names) -> LifeState {
    if let same = try? LifeState(decoding: encode(names: old), names: &new) { return same }
    // Nothing is known rather than everything known to be empty.
    var unknown = LifeState()
    unknown.lose(.all, since: lastTime)
    return unknown
  }
}
