// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace
import LifetraceWords

/// Finds the events that a rule of a project means, in one stream.
///
///     switch from.match(event, &context, names) { case .yes: … }
///
/// Where none is found, it remembers how others of their kinds are called. A name is looked at once:
/// after that an event costs no string and no memory.
struct Watcher: Sendable {
  /// What it says of an event.
  typealias Match = AskedEvent.Answer

  let selector: EventSelector
  /// Which of its rule's it is.
  let number: Int
  private var asked: AskedEvent
  private var seen = Sightings()
  /// By name: whether it was looked at.
  private var known: [Bool] = []

  init(_ selector: EventSelector, _ number: Int) {
    (self.selector, self.number) = (selector, number)
    asked = AskedEvent(selector.question)
  }

  mutating func match(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names,
    given: Scalar = .unknown
  ) -> Match {
    guard selector.question.kinds.contains(event.kind) else { return .no }
    let answer = asked.answer(event, context, names, given: given)
    switch answer {
    case .yes, .near:
      if !seen.isMet(number) {
        seen.meet(number)
        context.tallies.meet(context.current, number)
      }
    case .no: pass(event, &context, names)
    case .unknown: break
    }
    return answer
  }

  /// Takes note of the name of an event that has the kind, and is not the one that is asked for.
  private mutating func pass(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard !selector.question.wanted.isEmpty, !seen.isMet(number),
      let id = context.name(of: event, names), id != .empty
    else { return }
    let index = Int(id.rawValue)
    if index >= known.count {
      known += [Bool](repeating: false, count: names.strings.count - known.count)
    }
    guard index < known.count, !known[index] else { return }
    known[index] = true
    guard !selector.question.speaks(of: names[id]) else { return }
    seen.pass(number, names[id])
    context.tallies.pass(context.current, number, names[id])
  }

  /// Why it cannot be said whether it holds at an event.
  func doubt(_ event: borrowing Event, _ context: borrowing RuleContext) -> Sentence {
    if selector.question.asksAppState {
      guard context.state.appState != .unknown else { return context.unknownState }
      let error = context.uncertainty(event.time, context.state.stateSince, flags: event.flags)
      if error > 0 { return "times are right to ± \(context.words(error)) only" }
    }
    for family in EventFamily.allCases {
      if let doubt = context.doubt(family) { return "it may be \(selector.text): \(doubt)" }
    }
    return "it may be \(selector.text): what would tell is not known"
  }

  /// Where none was met in the stream, and other names were: which, as one of them may be meant.
  var remark: [Sentence] {
    guard seen.hasStrangers(number) else { return [] }
    let said = seen.remark(number, selector, in: "this process")
    return said.map { [Sentence("\($0).").capitalised] } ?? []
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
