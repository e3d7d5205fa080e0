// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace
import LifetraceWords

/// What has begun, by a rule of a project, and is still waited for.
///
/// A begin is tied to its end by what both are about, or by the value that the rule binds a name to:
///
///     within: {from: dirty, bind: doc = object, to: data.durable && object == doc, limit: 2s}
///
/// Then an event may end each of them, and is put to them one by one, the oldest first.
struct OpenBegins: Sendable {
  private let tie: EventTie
  private let bind: GivenName?
  private var asked: AskedEvent?
  private var open: [OwnKey: OwnEvent] = [:]

  init(_ span: OwnRule.Span) {
    (tie, bind) = (span.tie, span.bind)
    asked = span.bind.map { AskedEvent($0.question) }
  }

  /// In the order in which they came.
  var all: [OwnEvent] { open.values.sorted { $0.sequence < $1.sequence } }

  mutating func clear() { open = [:] }

  /// Where an event that begins something stands among those that are open.
  enum Place {
    /// It begins nothing: it has no such value, or that stood in an event that is missing.
    case nowhere
    /// There, where this one is open already, if one is.
    case known(OwnKey, OwnEvent?)
    /// What the name stands for is not known.
    case unbound(GivenName)
  }

  /// Where an event that begins something has its place, and what it binds the name to.
  mutating func place(
    of event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> (place: Place, bound: Scalar?) {
    guard let bind, let value = asked?.value(event, context, names) else {
      let key = OwnKey(event, tie, context, names)
      return (key.map { .known($0, open[$0]) } ?? .nowhere, nil)
    }
    switch value.standing {
    case .known: return (.known(OwnKey(value), open[OwnKey(value)]), value)
    case .absent: return (.nowhere, nil)
    case .unknown: return (.unbound(bind), nil)
    }
  }

  /// Lets one stand open; that more than can be remembered are not looked at is said.
  mutating func add(_ begin: OwnEvent, _ key: OwnKey, _ context: borrowing RuleContext) {
    if open[key] == nil {
      guard context.hasRoom(open.count, of: LifeState.openMax, for: "begin") else { return }
    }
    open[key] = begin
  }

  /// Takes out those that an event ends.
  mutating func end(
    by watcher: inout Watcher,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> [OwnEvent] {
    guard watcher.selector.question.kinds.contains(event.kind) else { return [] }
    guard bind != nil else {
      switch watcher.match(event, &context, names) {
      case .no, .near: break
      case .unknown: doubt(watcher.selector)
      case .yes:
        guard let key = OwnKey(event, tie, context, names) else {
          doubt(watcher.selector)
          break
        }
        if let begin = open.removeValue(forKey: key) { return [begin] }
      }
      return []
    }
    var ended: [OwnEvent] = []
    for begin in all {
      guard let value = begin.bound else { continue }
      switch watcher.match(event, &context, names, given: value) {
      case .no, .near: break
      case .unknown: open[OwnKey(value)]?.doubt = .nameless(watcher.selector)
      case .yes:
        open[OwnKey(value)] = nil
        ended.append(begin)
      }
    }
    return ended
  }

  /// Each of them may have been ended.
  private mutating func doubt(_ selector: EventSelector) {
    for key in Array(open.keys) { open[key]?.doubt = .nameless(selector) }
  }

  /// `doc is draft.txt`, where a name was bound.
  func words(for begin: OwnEvent, _ names: borrowing Names) -> [Sentence] {
    guard let bind, let value = begin.bound else { return [] }
    return ["\(bind.word.name) is \(value.text(bind.word.type, names))."]
  }
}
