// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Who begins a second task keeps the id of the first: both are ended.
///
///     Overwritten { scene, pair, isSure in Story("… was begun again while the first was open", …) }
///
/// Two open tasks of one name and one place look like one variable that holds two ids. That they were
/// not two variables shows when the second is ended, and the time of the first runs out. Of tasks that the
/// host has told the place is not known: the name alone counts.
struct Overwritten: Pattern {
  /// A task, and the one that was begun over it.
  struct Pair: Sendable {
    let first: OpenTask
    let firstID: UInt64
    let second: OpenTask
    let secondID: UInt64
    /// Whether the second was ended.
    var isSecondEnded = false
  }

  /// More pairs at once are not followed.
  private static let pairsMax = 64
  let says: @Sendable (Scene, Pair, _ isSure: Bool) -> Story
  private(set) var pairs: [Pair] = []
  private(set) var many = ManyTasks()
  /// The ids that the host has told.
  private(set) var told: Set<UInt64> = []

  init(says: @escaping @Sendable (Scene, Pair, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] { [.event(.taskBegin), .event(.taskEnd)] + Trigger.endings }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let id = event.identity
    switch event.kind {
    case .taskBegin: begin(event, context, names)
    case .taskEnd:
      guard context.state.tasks[id] != nil else { return }
      told.remove(id)
      if pairs.contains(where: { $0.firstID == id }) {
        pairs.removeAll { $0.firstID == id }
        context.held()
      }
      for index in pairs.indices where pairs[index].secondID == id {
        pairs[index].isSecondEnded = true
      }
    default:
      guard context.state.process.ending == nil else { return }
      judge(event, &context, names)
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    judge(last, &context, names)
  }

  private mutating func begin(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    let begin = Payload.TaskBegin(event)
    guard !begin.isRefused else { return }
    let name = names.known(begin.name)
    let site = event.site
    let isPlace = names[site].line > 0
    guard note(event, context) else { return }
    let isTold = told.contains(event.identity)
    guard name != .empty || isPlace && !isTold else { return }
    let tasks = context.state.tasks
    let alike: FlatTable<UInt64, OpenTask>.Entry?
    if isTold {
      // Its place is the step that was played then.
      alike = tasks.entries.last {
        $0.value.name == name && told.contains($0.key) && $0.value.expired == nil
      }
    } else if tasks.count > ManyTasks.countMin {
      alike = many.last(of: name, site, in: tasks)
      many.add(event, name)
    } else {
      many = ManyTasks()
      alike = tasks.entries.last {
        $0.value.name == name && $0.value.site == site && $0.value.expired == nil
          && !told.contains($0.key)
      }
    }
    guard let first = alike, context.hasRoom(pairs.count, of: Self.pairsMax, for: "pair") else {
      return
    }
    var second = first.value
    (second.time, second.sequence, second.thread) = (event.time, event.sequence, event.thread)
    pairs.append(
      Pair(first: first.value, firstID: first.key, second: second, secondID: event.identity)
    )
  }

  /// Notes whether the host has told of the task; false where there is no room for that.
  private mutating func note(_ event: borrowing Event, _ context: borrowing RuleContext) -> Bool {
    guard event.observer == .host else {
      told.remove(event.identity)
      return true
    }
    guard context.hasRoom(told.count, for: "task") else { return false }
    told.insert(event.identity)
    return true
  }

  private func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for pair in pairs where pair.isSecondEnded {
      // A first that still has time may belong to work that goes on.
      guard let open = context.state.tasks[pair.firstID], open.expired != nil else { continue }
      let doubt: Sentence? =
        context.doubt(.task, since: open.time).map { "its end may be missing: \($0)" }
      context.say(.broken(unless: doubt), event, names) { says($0, pair, doubt == nil) }
    }
  }
}

/// Open tasks by name and place, where there are too many to look through them at each begin.
///
/// What was ended or has expired is found out when it is met.
struct ManyTasks: Sendable {
  /// So many are looked through.
  static let countMin = 64

  private struct Key: Hashable, Sendable {
    let name: NameID
    let site: SiteID
  }

  private var isKnown = false
  /// In the order of their begins.
  private var begun: [Key: [(id: UInt64, sequence: UInt64)]] = [:]
  private var count = 0

  /// The last that is open and has time left.
  mutating func last(
    of name: NameID,
    _ site: SiteID,
    in tasks: FlatTable<UInt64, OpenTask>
  ) -> FlatTable<UInt64, OpenTask>.Entry? {
    if !isKnown || count > 3 * tasks.count { learn(tasks) }
    let key = Key(name: name, site: site)
    while let (id, sequence) = begun[key]?.last {
      if let place = tasks.place(of: id) {
        let entry = tasks.entries[place]
        if entry.value.sequence == sequence, entry.value.expired == nil { return entry }
      }
      begun[key]?.removeLast()
      count -= 1
    }
    return nil
  }

  /// Adds one that begins.
  mutating func add(_ event: borrowing Event, _ name: NameID) {
    begun[Key(name: name, site: event.site), default: []].append((event.identity, event.sequence))
    count += 1
  }

  private mutating func learn(_ tasks: FlatTable<UInt64, OpenTask>) {
    self = ManyTasks()
    isKnown = true
    for entry in tasks.entries.sorted(by: { $0.value.sequence < $1.value.sequence }) {
      let task = entry.value
      begun[Key(name: task.name, site: task.site), default: []].append((entry.key, task.sequence))
    }
    count = tasks.count
  }
}
