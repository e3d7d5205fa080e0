// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Finds the events that a rule of a project means, in one stream.
///
///     switch from.match(event, &context, names) { case .yes: … }
///
/// A name is looked at once; after that its number says whether it fits, so that an event costs no
/// string and no memory.
struct Watcher: Sendable {
  /// What it says of an event.
  enum Match: Sendable {
    case no
    case yes
    /// The event has the kind, and its name went with an event that is missing.
    case maybe
  }

  let selector: EventSelector
  /// Which of its rule's it is.
  let number: Int
  private var seekers: [Seeker]
  private var seen = Sightings()

  init(_ selector: EventSelector, _ number: Int) {
    (self.selector, self.number) = (selector, number)
    seekers = selector.alternatives.map(Seeker.init)
  }

  mutating func match(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Match {
    var found = Match.no
    for index in seekers.indices {
      switch seekers[index].match(event, &context, names) {
      case .no: break
      case .maybe: found = .maybe
      case .yes:
        if !seen.isMet(number) {
          seen.meet(number)
          context.tallies.meet(context.current, number)
        }
        return .yes
      }
      if let stranger = seekers[index].takeStranger() {
        seen.pass(number, names[stranger])
        context.tallies.pass(context.current, number, names[stranger])
      }
    }
    return found
  }

  /// Where none was met in the stream, and other names were: which, as one of them may be meant.
  var remark: [Sentence] {
    guard seen.hasStrangers(number) else { return [] }
    let said = seen.remark(number, selector, in: "this process")
    return said.map { [Sentence("\($0).").capitalised] } ?? []
  }
}

/// Which names a glob means, by their numbers.
private struct NameTest: Sendable {
  let glob: Glob
  /// 0 for not looked at yet, 1 for no, 2 for yes.
  private var known: [UInt8] = []

  init(_ glob: Glob) { self.glob = glob }

  /// Whether the name fits; and whether it was looked at for the first time.
  mutating func fits(_ id: NameID, _ names: borrowing Names) -> (fits: Bool, isNew: Bool) {
    let index = Int(id.rawValue)
    guard index < names.strings.count else { return (false, false) }
    if index >= known.count {
      known += [UInt8](repeating: 0, count: names.strings.count - known.count)
    }
    if known[index] != 0 { return (known[index] == 2, false) }
    known[index] = glob.matches(names[id]) ? 2 : 1
    return (known[index] == 2, true)
  }
}

/// One alternative of a selector.
private struct Seeker: Sendable {
  private let subject: EventSelector.Subject
  private let kinds: KindSet
  private let callback: Callback?
  private let thread: EventSelector.Thread?
  private let conditions: [FieldCondition]
  private var name: NameTest?
  /// A name that was looked at for the first time, and does not fit.
  private var stranger: NameID?
  /// By condition; nil for one that asks for no name.
  private var values: [NameTest?]

  init(_ alternative: EventSelector.Alternative) {
    subject = alternative.subject
    if case .kinds(let some) = alternative.subject {
      kinds = KindSet(some)
    } else {
      kinds = KindSet()
    }
    callback = alternative.callback
    thread = alternative.thread
    conditions = alternative.conditions
    name = alternative.name.map(NameTest.init)
    values = alternative.conditions.map {
      if case .name(let glob) = $0.test { NameTest(glob) } else { nil }
    }
  }

  mutating func match(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Watcher.Match {
    switch subject {
    case .entering(let state): return context.change?.to == state ? .yes : .no
    case .ending:
      return context.ends(event) ? .yes : .no
    case .kinds:
      guard kinds.contains(event.kind) else { return .no }
      if let thread, (event.thread == .main) != (thread == .main) { return .no }
      for index in conditions.indices where !holds(index, event, names) { return .no }
      return matchName(event, context, names)
    }
  }

  /// A name that was met now, and is not the one that is asked for.
  mutating func takeStranger() -> NameID? {
    guard let found = stranger else { return nil }
    stranger = nil
    return found
  }

  private mutating func matchName(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Watcher.Match {
    guard name != nil else { return .yes }
    if let callback, let called = context.callback { return called == callback ? .yes : .no }
    guard let id = context.name(of: event, names) else {
      let family = event.kind.family
      return context.doubt(family) == nil ? .no : .maybe
    }
    guard let (fits, isNew) = name?.fits(id, names) else { return .yes }
    if !fits, isNew, id != .empty { stranger = id }
    return fits ? .yes : .no
  }

  private mutating func holds(
    _ index: Int,
    _ event: borrowing Event,
    _ names: borrowing Names
  ) -> Bool {
    let condition = conditions[index]
    let kind = event.kind
    guard let place = condition.places.first(where: { $0.kind == kind }),
      place.index < Int(event.argumentCount)
    else { return false }
    let bits = place.index < 0 ? event.identity : event[place.index]
    switch condition.test {
    case .name: return values[index]?.fits(NameID(word: bits), names).fits ?? false
    case .equal(let wanted): return bits == wanted
    case .number(let comparison, let limit):
      return comparison.holds(Int64(bitPattern: bits), limit)
    }
  }
}

extension RuleContext {
  /// The name of what an event is about; nil where it stood in an event that was not seen.
  ///
  /// What ends has the name that it began with.
  func name(of event: borrowing Event, _ names: borrowing Names) -> NameID? {
    let id = event.identity
    let site = names[event.site].name
    switch event.kind {
    case .callbackBegin, .turnBegin, .workBegin, .mark: return site
    case .callbackEnd, .turnEnd, .workEnd:
      return closing.map { names[$0.site].name } ?? (site == .empty ? nil : site)
    case .waitBegin: return site == .empty ? names.known(NameID(word: event[0])) : site
    case .waitEnd:
      guard let closing else { return site == .empty ? nil : site }
      let begun = names[closing.site].name
      return begun == .empty ? names.known(NameID(word: closing.detail)) : begun
    case .taskExpire, .taskEnd: return state.tasks[id].map { names.known($0.name) }
    case .wakeCompletion, .wakeReported: return state.wakes[id].map { names.known($0.reason) }
    case .deadlineClose: return state.deadlines[id].map { names.known($0.what) }
    default:
      let kind = event.kind
      if kind.info?.isNameIdentity == true { return names.known(NameID(word: id)) }
      guard let field = kind.namedField, field < Int(event.argumentCount) else { return .empty }
      return names.known(NameID(word: event[field]))
    }
  }
}
