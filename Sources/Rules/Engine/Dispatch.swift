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
  /// Those of another trigger while the app is in one of these states.
  indirect case only(in: [AppState], Trigger)

  /// Those through which an app changes its state.
  static let stateChanges = [
    EventKind.transition, .suspend, .resume, .purge, .processExit, .processStart,
  ].map(Trigger.event)
  /// Those with which a process ends.
  static let endings = [EventKind.purge, .processExit].map(Trigger.event)

  /// The states in which it is meant.
  fileprivate var states: [AppState] {
    switch self {
    case .everything(let state): [state]
    case .only(let states, _): states
    default: AppState.allCases
    }
  }

  fileprivate var isEverything: Bool { if case .everything = self { true } else { false } }
}

/// What an event is to rules: its kind, and of callbacks and work which; a small number.
///
/// First the 256 kinds, then begin and end of each kind of work, then of each callback.
struct Slot: Sendable {
  /// One more than the greatest.
  static let count = firstCallback + 2 * History.callbacks.count
  // Constants, for they are asked at each event.
  private static var firstWork: Int { 256 }
  private static var worksMax: UInt64 { 8 }
  private static var firstCallback: Int { firstWork + 2 * Int(worksMax) }

  let index: Int

  private init(index: Int) { self.index = index }

  init(_ kind: EventKind) { index = Int(kind.rawValue) }

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
    assert(WorkKind.allCases.count <= worksMax)
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
    case .everything: return (0..<count).map(Slot.init(index:))
    case .only(_, let inner): return all(of: inner)
    }
  }
}

/// Which rules an event goes to, by what it is and by the state of the app.
///
/// In the order of the table; those that want everything in a state come last.
struct Dispatch: Sendable {
  /// By state and slot, where its rules begin; one more at the end.
  private var starts: [UInt32]
  private var rules: [UInt8]

  /// All rules that there are, by their indexes in the table.
  let all: [Int]

  /// No rules.
  static let none = Dispatch(to: [], of: [])

  init(to all: [Int], of table: [Rule]) {
    self.all = all
    let states = (AppState.allCases.map { Int($0.rawValue) }.max() ?? 0) + 1
    var wanted = [[UInt8]](repeating: [], count: states * Slot.count)
    func add(_ rule: Int, _ trigger: Trigger) {
      let slots = Slot.all(of: trigger)
      for state in trigger.states {
        for slot in slots {
          let place = Self.place(slot, state)
          if !wanted[place].contains(UInt8(rule)) { wanted[place].append(UInt8(rule)) }
        }
      }
    }
    let triggers = all.map { (rule: $0, triggers: table[$0].attention) }
    for (rule, triggers) in triggers {
      for trigger in triggers where !trigger.isEverything { add(rule, trigger) }
    }
    for (rule, triggers) in triggers {
      for trigger in triggers where trigger.isEverything { add(rule, trigger) }
    }
    starts = [0]
    rules = []
    for some in wanted {
      rules += some
      starts.append(UInt32(rules.count))
    }
  }

  private static func place(_ slot: Slot, _ state: AppState) -> Int {
    Int(state.rawValue) * Slot.count + slot.index
  }

  /// Where the rules of an event stand that comes while the app is in a state.
  func places(of slot: Slot, in state: AppState) -> Range<Int> {
    let place = Self.place(slot, state)
    return Int(starts[place])..<Int(starts[place + 1])
  }

  /// The index in the table of the rule at a place.
  func rule(at place: Int) -> Int { Int(rules[place]) }
}

extension [Trigger] {
  /// Whether one of them means events of one of these slots; to want everything in a state is not meant.
  func contains(anyOf slots: [Slot]) -> Bool {
    let wanted = Set(slots.map(\.index))
    return contains { trigger in
      !trigger.isEverything && Slot.all(of: trigger).contains { wanted.contains($0.index) }
    }
  }
}
