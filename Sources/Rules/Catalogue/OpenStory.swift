// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What a process was in the middle of when it ended: its state, what main did, what it held.
struct OpenStory {
  /// ` in applicationDidEnterBackground`, the innermost callback on main; else empty.
  private(set) var callback: Sentence = ""
  private(set) var details: [Sentence] = []
  private(set) var witnesses: [Witness] = []

  /// More of one kind are counted.
  private static let shownMax = 3

  init(
    _ event: borrowing Event,
    _ label: String,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let now = event.time
    tellState(now, context)
    tellSpans(now, context, names)
    tellHeld(now, context, names)
    witnesses.append(context.witness(label, event, names))
  }

  private mutating func tellState(_ now: HostTime, _ context: RuleContext) {
    let state = context.state
    let since = context.words(now - state.stateSince)
    switch state.appState {
    case .unknown: details.append("In which state it was is not known.")
    case .notRunning: details.append("It had not yet reached a state.")
    case .background: details.append("It had been in the background for \(since).")
    default: details.append("It had been \(state.appState.word) for \(since).")
    }
  }

  private mutating func tellSpans(
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let spans = context.state.spans.values.sorted { $0.sequence < $1.sequence }
    let main = spans.filter { $0.thread == .main }
    if let inner = main.last(where: { $0.kind == .callbackBegin }) {
      callback = " in \(context.name(inner.site, names, or: "a callback"))"
    }
    tell("The main thread was in", main, now, context, names)
    tell("Other threads were in", spans.filter { $0.thread != .main }, now, context, names)
    if main.isEmpty, context.doubt(.callback) == nil, context.doubt(.work) == nil {
      details.append("Nothing that is recorded was open on the main thread.")
    }
  }

  private mutating func tell(
    _ begin: Sentence,
    _ spans: [OpenSpan],
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    guard !spans.isEmpty else { return }
    var parts: [Sentence] = []
    for span in spans.prefix(Self.shownMax) {
      let title = context.title(span, names)
      let length = context.words(context.running(span, until: now))
      parts.append("\(title)\(context.at(span.site, names)) for \(length)")
      witnesses.append(context.witness("open", span.sequence, span.time, span.site, names))
    }
    details.append("\(begin) \(Self.list(parts, of: spans.count)).")
  }

  private mutating func tellHeld(
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let state = context.state
    var parts: [Sentence] = []
    for task in state.tasks.values.prefix(Self.shownMax) {
      parts.append("background task \(task.title(names)), \(context.words(now - task.time)) old")
    }
    for wake in state.wakes.values.prefix(Self.shownMax) {
      parts.append("the wake by \(name: names[wake.reason]), \(context.words(now - wake.time)) old")
    }
    let locks = state.resources.values.filter { $0.resourceClass == .lock }
    for lock in locks.prefix(Self.shownMax) {
      parts.append("the lock on \(name: names[lock.name])\(context.at(lock.site, names))")
    }
    let number = state.tasks.count + state.wakes.count + locks.count
    if !parts.isEmpty { details.append("Still open: \(Self.list(parts, of: number)).") }
    let unsaved = state.unsaved(at: .kernel)
    guard !unsaved.isEmpty else { return }
    let shown: [Sentence] = unsaved.prefix(Self.shownMax).map { "\(object: names[$0.name])" }
    details.append("Unsaved: \(Self.list(shown, of: unsaved.count)).")
  }

  private static func list(_ parts: [Sentence], of count: Int) -> Sentence {
    let more = count - parts.count
    return parts.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
