// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import CLifetraceUnseen
import LifetracePlatform
import LifetraceScenario
import LifetraceTrace
import Synchronization

/// The stream of one simulated process, as it is written: in memory, in order.
///
/// A class that C calls back into, on the simulator's thread and on those of the app's work.
///
/// @unchecked: what more than one thread touches has a lock; `thread`, `cutoff` and `told` are the
/// simulator's own, and written while no other thread runs.
final class EventLog: @unchecked Sendable {
  private struct Entry {
    var record: lt_record
    var thread: UInt32
    /// Index into `observed` plus one, or 0 for an event of the app itself.
    var observed: UInt32
  }

  let clock: VirtualClock
  private let lock = Mutex(())
  private var entries: [Entry] = []
  /// The process has ended: what its threads still do is no event of it.
  private var isClosed = false
  /// Events of a call that takes longer than the system waits: they are in the stream when their
  /// time has come, and never if the process has ended before.
  private var ahead: [Entry] = []
  private var observed: [RecordedEvent] = []
  /// The thread that runs now: 0 is main.
  var thread: UInt32 = 0
  /// Events emitted later than this come from a process that is dead already.
  var cutoff = Int64.max
  /// How many of the events have been reported to the observers.
  var told = 0
  /// Behind which event the process ends, and what is done there, on whatever thread.
  private var fall: (end: ScriptedEnd, then: @Sendable () -> Void)?
  /// When it has ended so.
  private var fallTime: Int64?
  private(set) var sink: OpaquePointer?

  init(clock: VirtualClock) {
    self.clock = clock
    let context = Unmanaged.passUnretained(self).toOpaque()
    sink = lt_sink_create(
      { context, record in
        guard let context, let record else { return }
        Unmanaged<EventLog>.fromOpaque(context).takeUnretainedValue().append(record.pointee)
      },
      { context in
        guard let context else { return 0 }
        let log = Unmanaged<EventLog>.fromOpaque(context).takeUnretainedValue()
        return UInt64(bitPattern: log.clock.now)
      },
      context
    )
  }

  deinit { lt_sink_destroy(sink) }

  var count: Int { lock.withLock { _ in entries.count } }

  /// The process is gone.
  func close() {
    lock.withLock { _ in
      arriveLocked()
      ahead = []
      isClosed = true
      // What is done at a planned end holds the process, and the process this log.
      fall = nil
    }
  }

  /// The process ends behind that event: `then` is called there, and nothing comes behind it.
  func end(behind end: ScriptedEnd, then: @escaping @Sendable () -> Void) {
    lock.withLock { _ in fall = (end, then) }
  }

  /// When the process has ended behind the event that was named; nil while it has not.
  var fallen: Int64? { lock.withLock { _ in fallTime } }

  private func countTowardsFallLocked(_ record: inout lt_record) {
    guard let end = fall?.end else { return }
    if let event = end.event {
      guard event.kind.rawValue == record.kind else { return }
      if let name = event.name, !lt_record_names(&record, name) { return }
    }
    fall?.end.count -= 1
    guard end.count == 1, let then = fall?.then else { return }
    fall = nil
    fallTime = Int64(bitPattern: record.tick)
    ahead = []
    isClosed = true
    then()
  }

  /// The clock goes back to `time`: what was recorded for later waits.
  func rewind(to time: Int64) {
    lock.withLock { _ in
      let last = entries.lastIndex { Int64(bitPattern: $0.record.tick) <= time }
      let first = last.map { $0 + 1 } ?? 0
      ahead = entries[first...] + ahead
      entries.removeSubrange(first...)
    }
  }

  /// Events whose time has come are in the stream.
  func arrive() { lock.withLock { _ in arriveLocked() } }

  private func arriveLocked() {
    guard !ahead.isEmpty else { return }
    let now = clock.now
    let waiting = ahead.firstIndex { Int64(bitPattern: $0.record.tick) > now } ?? ahead.count
    entries += ahead[..<waiting]
    ahead.removeSubrange(..<waiting)
  }

  /// The callback that took most processor time, where that was a second or more.
  var slowCallback: (name: String, cpu: Int64)? {
    let slow = lock.withLock({ _ in entries }).map(\.record).filter {
      $0.kind == UInt8(LT_KIND_CALLBACK_END.rawValue) && $0.arg_count > 1 && $0.arg.1 > 0
    }
    return slow.max { $0.arg.1 < $1.arg.1 }.map {
      var names = Names()
      var translation = NameTranslation()
      let event = translation.event($0, names: &names)
      return (names[names[event.site].name], Payload.CallbackEnd(event).cpu ?? 0)
    }
  }

  /// The innermost callback that has not ended.
  var openCallback: String? {
    var open: [UInt64: lt_record] = [:]
    for record in lock.withLock({ _ in entries }).map(\.record) {
      switch record.kind {
      case UInt8(LT_KIND_CALLBACK_BEGIN.rawValue): open[record.identity] = record
      case UInt8(LT_KIND_CALLBACK_END.rawValue): open[record.identity] = nil
      default: break
      }
    }
    return open.values.max { $0.tick < $1.tick }.map { record in
      var names = Names()
      var translation = NameTranslation()
      let event = translation.event(record, names: &names)
      return names[names[event.site].name]
    }
  }

  private func append(_ record: lt_record) {
    let worker = lt_followed_number()
    var record = record
    lock.withLock { _ in
      guard !isClosed, clock.now <= cutoff else { return }
      arriveLocked()
      if worker == 0 {
        addRealTime(&record)
      } else {
        // Time may have passed since it was read.
        record.tick = max(record.tick, entries.last?.record.tick ?? 0)
      }
      entries.append(Entry(record: record, thread: worker == 0 ? thread : worker, observed: 0))
      if fall != nil { countTowardsFallLocked(&record) }
    }
  }

  /// Says at the end of a callback what processor time it took, where that is worth a word: the same
  /// life is otherwise the same, whatever machine plays it.
  private func addRealTime(_ record: inout lt_record) {
    switch record.kind {
    case UInt8(LT_KIND_CALLBACK_BEGIN.rawValue): callbackTime.begin(record.identity)
    case UInt8(LT_KIND_CALLBACK_END.rawValue):
      guard let took = callbackTime.end(record.identity), record.arg_count > 1 else { return }
      record.arg.1 = UInt64(took)
    default: break
    }
  }

  private var callbackTime = CallbackTime()

  /// Of a process that has ended behind an event of its own only the end is told then.
  func append(_ event: RecordedEvent, isEnd: Bool = false) {
    lock.withLock { _ in
      guard fallTime == nil || isEnd else { return }
      arriveLocked()
      observed.append(event)
      var record = lt_record()
      record.tick = UInt64(bitPattern: event.time?.rawValue ?? clock.now)
      entries.append(Entry(record: record, thread: 0, observed: UInt32(observed.count)))
    }
  }

  /// All events from the one at `first` on, with their strings in `names`, numbered from 0.
  ///
  /// With those of a call that goes on, unless only what has happened `byNow` is asked for.
  func events(
    from first: Int = 0,
    byNow: Bool = false,
    stream: StreamID,
    names: inout Names
  ) -> [Event] {
    var translation = NameTranslation()
    let entries = lock.withLock { _ in
      byNow || ahead.isEmpty ? self.entries : self.entries + ahead
    }
    return entries.indices.dropFirst(first).map { number in
      let entry = entries[number]
      var event: Event
      if entry.observed > 0 {
        event = observed[Int(entry.observed) - 1].event(
          at: HostTime(rawValue: Int64(bitPattern: entry.record.tick)),
          names: &names
        ) { $2.intern($0) }
      } else {
        event = translation.event(entry.record, names: &names)
        event.thread = ThreadID(rawValue: entry.thread)
      }
      event.sequence = UInt64(number)
      event.stream = stream
      return event
    }
  }
}
