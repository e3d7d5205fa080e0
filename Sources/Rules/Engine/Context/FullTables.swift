// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// How much rules keep of one stream, whatever that holds.
///
/// Beyond each limit the rule says that it cannot judge what comes from there on
/// (``RuleContext/hasRoom(_:of:for:)``). Open things themselves are bounded by the fold:
/// `LifeState.openMax` and `LifeState.objectsMax`.
enum Limits {
  /// Things of one sort that one rule remembers: objects, sites, items.
  ///
  /// Some 1 MB where all are there.
  static let remembered = 16_384
}

/// The tables that had no room for something in this stream, each told of once.
struct FullTables: Sendable {
  /// A table that was full, from one event on.
  struct Full: Sendable {
    /// What it is for.
    enum Reader: Sendable {
      /// One rule, by its index.
      case rule(Int)
      /// All rules that look at events of these slots.
      case slots([Slot])
    }

    let reader: Reader
    /// How many it holds.
    let max: Int
    /// A noun for one of them.
    let thing: String
    let sequence: UInt64
    let time: HostTime
  }

  private(set) var all: [Full] = []
  private var rules: Set<Int> = []
  private var slots: Set<Int> = []

  mutating func add(_ full: Full) {
    switch full.reader {
    case .rule(let rule): guard rules.insert(rule).inserted else { return }
    case .slots(let some):
      guard let first = some.first, slots.insert(first.index).inserted else { return }
    }
    all.append(full)
  }
}

extension RuleContext {
  /// Whether the rule that is looking can keep one more of the things of which it has `count`.
  ///
  /// Where it cannot, it says once a stream that what comes from this event on is undecidable.
  @inline(__always)
  func hasRoom(_ count: Int, of max: Int = Limits.remembered, for thing: String) -> Bool {
    if count < max { return true }
    isFull(max, thing, .rule(current))
    return false
  }

  /// A table is full that `reader` reads, and the event at hand needs a place in it.
  @inline(never)
  func isFull(_ max: Int, _ thing: String, _ reader: FullTables.Full.Reader) {
    contents.pointee.full.add(
      FullTables.Full(
        reader: reader,
        max: max,
        thing: thing,
        sequence: place.sequence,
        time: place.time
      )
    )
  }

  /// Says of each rule of `dispatch` that could not look at all there was, since when and why.
  mutating func tellFullTables(
    to dispatch: Dispatch,
    _ last: borrowing Event,
    _ names: borrowing Names
  ) {
    guard !contents.pointee.full.all.isEmpty else { return }
    var told: Set<Int> = []
    for full in contents.pointee.full.all {
      let rules =
        switch full.reader {
        case .rule(let rule): [rule]
        case .slots(let slots):
          dispatch.all.filter { rule in
            table[rule].attention.contains(anyOf: slots)
              // Rules of data look at all of it where the process ends.
              || full.thing == BoundedTable.data.thing && table[rule].info.id.hasPrefix("DS")
          }
        }
      for rule in rules where told.insert(rule).inserted {
        current = rule
        tell(full, last, names)
      }
    }
  }

  private mutating func tell(
    _ full: FullTables.Full,
    _ last: borrowing Event,
    _ names: borrowing Names
  ) {
    let reason: Sentence = "more than \(count: UInt64(full.max), of: full.thing) at once"
    say(.unclear(), at: (full.sequence, full.time), last, names) { scene in
      Story(
        "not everything from \(scene.event(full.sequence)) on could be judged",
        [
          "What is open, or waited for, beyond that many is not followed: a breach may be among it."
        ],
        [scene.witness("too many", full.sequence, full.time)],
        because: "\(reason) from \(scene.event(full.sequence)) on"
      )
    }
  }
}

extension RuleContext {
  /// Notes that the fold has no room for what `event` opens; the rules have judged it, and it is not
  /// folded yet.
  mutating func noteOverflow(_ event: borrowing Event, _ names: borrowing Names) {
    switch event.kind.rawValue {
    case EventKind.callbackBegin.rawValue:
      guard state.spans.count >= LifeState.openMax else { return }
      let code = history.code(of: event.site, names)
      let slots = code.map { [Slot(callback: $0, isEnd: false), Slot(callback: $0, isEnd: true)] }
      overflows(.spans, slots ?? [Slot(.callbackBegin), Slot(.callbackEnd)])
    case EventKind.workBegin.rawValue:
      guard state.spans.count >= LifeState.openMax else { return }
      let code = Payload.WorkBegin(event).kind.rawValue
      let slots = [Slot(work: code, isEnd: false), Slot(work: code, isEnd: true)].compactMap { $0 }
      overflows(.spans, slots.isEmpty ? [Slot(.workBegin), Slot(.workEnd)] : slots)
    case EventKind.turnBegin.rawValue:
      guard state.spans.count >= LifeState.openMax else { return }
      overflows(.spans, [Slot(.turnBegin), Slot(.turnEnd)])
    case EventKind.waitBegin.rawValue:
      guard state.spans.count >= LifeState.openMax else { return }
      overflows(.spans, [Slot(.waitBegin), Slot(.waitEnd)])
    case EventKind.taskBegin.rawValue:
      guard isNew(event.identity, in: state.tasks), !Payload.TaskBegin(event).isRefused else {
        return
      }
      overflows(.tasks, [.taskBegin, .taskExpire, .taskEnd].map { Slot($0) })
    case EventKind.wakeBegin.rawValue:
      guard isNew(event.identity, in: state.wakes) else { return }
      overflows(.wakes, [Slot(.wakeBegin), Slot(.wakeCompletion)])
    case EventKind.deadlineOpen.rawValue:
      guard isNew(event.identity, in: state.deadlines) else { return }
      overflows(.deadlines, [Slot(.deadlineOpen), Slot(.deadlineClose)])
    case EventKind.resourceAcquire.rawValue:
      let key = ResourceKey(acquiredBy: event, names)
      let thread = event.thread
      let isShared = state.resources[key].map { $0.thread != thread } ?? false
      let holder = HolderKey(key.name, thread, key.id)
      let isNewHolder = isShared && isNew(holder, in: state.sharedHolds)
      guard isNew(key, in: state.resources) || isNewHolder else { return }
      overflows(.resources, [.resourceAcquire, .resourceUse, .resourceRelease].map { Slot($0) })
    case EventKind.notificationPosted.rawValue:
      let posted = Payload.NotificationPosted(event)
      let key = NotificationKey(names.known(posted.type), names.known(posted.key))
      guard isNew(key, in: state.notifications) else { return }
      overflows(.notifications, Self.notificationSlots)
    default:
      guard event.kind.family == .data, state.data.count >= LifeState.objectsMax,
        state.data.place(of: names.known(event.identityName)) == nil
      else { return }
      overflows(.data, Self.dataSlots)
    }
  }

  private func overflows(_ table: BoundedTable, _ slots: [Slot]) {
    isFull(table.max, table.thing, .slots(slots))
  }

  private func isNew<Key, Value>(_ key: Key, in table: borrowing FlatTable<Key, Value>) -> Bool {
    table.count >= LifeState.openMax && table.place(of: key) == nil
  }

  static let notificationSlots = [
    EventKind.notificationPosted, .notificationCoalesced, .notificationDelivered,
    .notificationDropped,
  ].map { Slot($0) }

  private static let dataSlots = [
    EventKind.dataDirty, .dataFlushing, .dataDurable, .dataRestored, .dataFailed, .dataDiscarded,
    .dataUnchanged, .dataCopied, .dataRead,
  ].map { Slot($0) }
}
