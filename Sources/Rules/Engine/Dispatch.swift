// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// Events that a rule wants to see.
enum Trigger: Sendable, Hashable {
  /// Those of a kind.
  case event(EventKind)
  /// A callback of the system that begins.
  case callbackBegin(Callback)
  /// A callback of the system that ends.
  case callbackEnd(Callback)
  /// Work of a kind that begins.
  case workBegin(WorkKind)
  /// Work of a kind that ends, and was seen to begin.
  case workEnd(WorkKind)
  /// Every event of any kind while the app is in a state.
  case everything(in: AppState)

  /// Those through which an app changes its state.
  static let stateChanges = [
    EventKind.transition, .suspend, .resume, .purge, .processExit, .processStart,
  ].map(Trigger.event)
  /// Those with which a process ends.
  static let endings = [EventKind.purge, .processExit].map(Trigger.event)
}

/// What an event is to rules: its kind, and of callbacks and work which; a small number.
///
/// First the 256 kinds, then the states, then begin and end of each kind of work, then of each callback.
struct Slot: Sendable {
  /// One more than the greatest.
  static let count = firstCallback + 2 * History.callbacks.count
  // Constants, for they are asked at each event.
  private static var firstWork: Int { 256 + 8 }
  private static var worksMax: UInt64 { 8 }
  private static var firstCallback: Int { firstWork + 2 * Int(worksMax) }

  let index: Int

  init(_ kind: EventKind) { index = Int(kind.rawValue) }

  /// Every event while the app is in a state.
  init(in state: AppState) { index = 256 + Int(state.rawValue) }

  /// Work; nil for a kind that has no slot of its own.
  init?(work code: UInt64, isEnd: Bool) {
    guard code < Self.worksMax else { return nil }
    index = Self.firstWork + 2 * Int(code) + (isEnd ? 1 : 0)
  }

  /// A callback by its place among all.
  init(callback code: Int, isEnd: Bool) {
    index = Self.firstCallback + 2 * code + (isEnd ? 1 : 0)
  }

  /// Those that `trigger` means.
  fileprivate static func all(of trigger: Trigger) -> [Slot] {
    assert(AppState.allCases.count <= 8 && WorkKind.allCases.count <= worksMax)
    let callbacks = History.callbacks
    let (begins, ends) = (EventKind.callbackBegin, EventKind.callbackEnd)
    switch trigger {
    case .event(let kind) where kind == begins || kind == ends:
      return [Slot(kind)] + callbacks.indices.map { Slot(callback: $0, isEnd: kind == ends) }
    case .event(let kind) where kind == .workBegin || kind == .workEnd:
      let works = (0..<worksMax).compactMap { Slot(work: $0, isEnd: kind == .workEnd) }
      return [Slot(kind)] + works
    case .event(let kind): return [Slot(kind)]
    case .callbackBegin(let which), .callbackEnd(let which):
      let isEnd = trigger == .callbackEnd(which)
      return callbacks.indices.filter { callbacks[$0] == which }
        .map { Slot(callback: $0, isEnd: isEnd) }
    case .workBegin(let kind), .workEnd(let kind):
      let isEnd = trigger == .workEnd(kind)
      return Slot(work: UInt64(kind.rawValue), isEnd: isEnd).map { [$0] } ?? []
    case .everything(let state): return [Slot(in: state)]
    }
  }
}

/// Which rules an event goes to, in the order of the table.
struct Dispatch: Sendable {
  /// By slot, where its rules begin; one more at the end.
  private var starts: [UInt16]
  private var rules: [UInt8]

  /// All rules that there are, by their indexes in the table.
  let all: [Int]

  init(to all: [Int], of table: [Rule]) {
    self.all = all
    var bySlot = [[UInt8]](repeating: [], count: Slot.count)
    for rule in all {
      for trigger in table[rule].attention {
        for slot in Slot.all(of: trigger) where bySlot[slot.index].last != UInt8(rule) {
          bySlot[slot.index].append(UInt8(rule))
        }
      }
    }
    starts = [0]
    rules = []
    for some in bySlot {
      rules += some
      starts.append(UInt16(rules.count))
    }
  }

  /// Where the rules of an event stand.
  func places(of slot: Slot) -> Range<Int> {
    Int(starts[slot.index])..<Int(starts[slot.index + 1])
  }

  /// The index in the table of the rule at a place.
  func rule(at place: Int) -> Int { Int(rules[place]) }

  /// Whether the rule sees such an event for what it is.
  func isSeen(_ slot: Slot, by rule: Int) -> Bool {
    rules[places(of: slot)].contains(UInt8(rule))
  }
}
