// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import LifetraceTrace

/// The stream of one simulated process, as it is written: in memory, in order.
///
/// A class that C calls back into. Only the simulator's thread emits into it,
/// because only that thread carries its sink.
final class EventLog: @unchecked Sendable {
  private struct Entry {
    var record: lt_record
    var thread: UInt32
    /// Index into `observed` plus one, or 0 for an event of the app itself.
    var observed: UInt32
  }

  let clock: VirtualClock
  private var entries: [Entry] = []
  private var observed: [RecordedEvent] = []
  /// The thread that runs now: 0 is main.
  var thread: UInt32 = 0
  /// What is emitted later than this comes from a process that is dead already.
  var cutoff = Int64.max
  /// So many of the events have been told to whoever watches.
  var told = 0
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

  var count: Int { entries.count }

  private func append(_ record: lt_record) {
    guard clock.now <= cutoff else { return }
    entries.append(Entry(record: record, thread: thread, observed: 0))
  }

  func append(_ event: RecordedEvent) {
    observed.append(event)
    var record = lt_record()
    record.tick = UInt64(bitPattern: event.time?.rawValue ?? clock.now)
    entries.append(Entry(record: record, thread: 0, observed: UInt32(observed.count)))
  }

  /// All events from the one at `first` on, with their strings in `names`, numbered from 0.
  func events(from first: Int = 0, stream: StreamID, names: inout Names) -> [Event] {
    var translation = NameTranslation()
    return entries.indices.dropFirst(first).map { number in
      let entry = entries[number]
      var event: Event
      if entry.observed > 0 {
        event = observed[Int(entry.observed) - 1].event(
          at: HostTime(rawValue: Int64(bitPattern: entry.record.tick)),
          names: &names
        ) { $1.intern($0) }
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
