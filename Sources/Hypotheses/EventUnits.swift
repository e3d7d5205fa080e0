// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

/// The events of some streams, those together that make no sense alone: begin and end of a span, of a
/// task, a wake, a deadline, a resource; a save from its begin on; a message and its receipt; a
/// notification and what became of it; a purge and the exit behind it.
struct EventUnits {
  /// An event of the events given, by the index of its list and its own.
  struct Member: Hashable {
    var list: Int
    var index: Int
  }

  /// In order of their first events, list by list.
  private(set) var units: [[Member]] = []
  /// By what they are: the units that something may still join.
  private var open: [Key: Int] = [:]

  private struct Key: Hashable {
    /// The list of events; messages are of two.
    var list: Int?
    var kind: EventKind
    var identity: UInt64
    var other: UInt64 = 0
  }

  /// Nil where `isInterrupted` says so before all are in.
  init?(_ events: [[Event]], _ isInterrupted: () -> Bool) {
    for (list, events) in events.enumerated() {
      for (index, event) in events.enumerated() {
        if index & 0x3ff == 0, isInterrupted() { return nil }
        add(Member(list: list, index: index), event)
      }
    }
  }

  private mutating func add(_ member: Member, _ event: Event) {
    guard let (key, joins, isLast) = place(of: event, in: member.list) else {
      units.append([member])
      return
    }
    if joins, let unit = open[key] {
      units[unit].append(member)
    } else {
      open[key] = units.count
      units.append([member])
    }
    if isLast { open[key] = nil }
  }

  /// What the event belongs to, whether it joins one that is open, and whether that is over then; nil
  /// for one that stands alone.
  private func place(of event: Event, in list: Int) -> (key: Key, joins: Bool, isLast: Bool)? {
    func key(_ kind: EventKind, _ other: UInt64 = 0) -> Key {
      Key(list: list, kind: kind, identity: event.identity, other: other)
    }
    switch event.kind {
    case .callbackBegin, .turnBegin, .workBegin, .waitBegin, .taskBegin, .wakeBegin, .deadlineOpen:
      return (key(event.kind), false, false)
    case .callbackEnd: return (key(.callbackBegin), true, true)
    case .turnEnd: return (key(.turnBegin), true, true)
    case .workEnd: return (key(.workBegin), true, true)
    case .waitEnd: return (key(.waitBegin), true, true)
    case .taskExpire: return (key(.taskBegin), true, false)
    case .taskEnd: return (key(.taskBegin), true, true)
    case .wakeReported: return (key(.wakeBegin), true, false)
    case .wakeCompletion: return (key(.wakeBegin), true, true)
    case .deadlineClose: return (key(.deadlineOpen), true, true)
    case .resourceAcquire:
      return (key(.resourceAcquire, Payload.ResourceAcquire(event).id ?? 0), false, false)
    case .resourceRelease:
      return (key(.resourceAcquire, Payload.ResourceRelease(event).id ?? 0), true, true)
    case .dataFlushing: return (key(.dataFlushing, event[0]), false, false)
    case .dataDurable, .dataFailed: return (key(.dataFlushing, event[0]), true, true)
    case .notificationPosted: return (key(.notificationPosted, event[0]), false, false)
    case .notificationDelivered, .notificationHandled, .notificationDropped:
      return (key(.notificationPosted, event[0]), true, false)
    case .messageSend, .messageReceive:
      let isSend = event.kind == .messageSend
      let count =
        isSend ? Payload.MessageSend(event).count : Payload.MessageReceive(event).count
      let flow = Key(list: nil, kind: .messageSend, identity: event.identity, other: count)
      return (flow, true, false)
    case .messageTrace:
      return (Key(list: nil, kind: .messageSend, identity: event.identity, other: 1), true, false)
    case .purge, .processExit:
      return (Key(list: list, kind: .processExit, identity: 0), true, false)
    default: return nil
    }
  }
}
