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
  private let scene: Scene

  /// More of one kind are counted.
  private static let shownMax = 3

  init(_ label: String, _ scene: Scene) {
    self.scene = scene
    tellState()
    tellLock()
    tellSpans()
    tellHeld()
    details += scene.mainDetails
    let printed = scene.lastWords
    details += printed.details
    witnesses += printed.witnesses
    witnesses.append(scene.witness(label))
  }

  private mutating func tellState() {
    let state = scene.state.appState
    let since = scene.since(scene.state.stateSince)
    switch state {
    case .unknown
    where scene.context.attributes.role == .app && !scene.context.history.hasStated
      && scene.context.attributes.evidence != .log && scene.doubt(.state) == nil:
      details.append(
        "No state of it is recorded: it never connected to the system around it, by Application.main "
          + "or the protocol of scenarios."
      )
    case .unknown: details.append("In which state it was is not known.")
    case .notRunning: details.append("It had not yet reached a state.")
    // Where the end alone shows the state, nobody knows since when.
    case _ where scene.event.time <= scene.state.stateSince:
      details.append("It was \(state == .background ? "in the background" : state.word).")
    case .background: details.append("It had been in the background for \(since).")
    default: details.append("It had been \(state.word) for \(since).")
    }
  }

  private mutating func tellLock() {
    guard let lock = scene.context.history.deviceLock, lock.hasPasscode == true else { return }
    let since: Sentence =
      lock.isBeforeFirstUnlock ? ", and had not been unlocked since its start" : ""
    details.append("The device had been locked for \(scene.since(lock.time))\(since).")
  }

  private mutating func tellSpans() {
    let spans = scene.state.spans.values.sorted { $0.sequence < $1.sequence }
    let main = spans.filter { $0.thread == .main }
    if let inner = main.last(where: { $0.kind == .callbackBegin }) {
      callback = " in \(scene.name(inner.site, or: "a callback"))"
    }
    tell("The main thread was in", main)
    tell("Other threads were in", spans.filter { $0.thread != .main })
    if main.isEmpty, scene.doubt(.callback) == nil, scene.doubt(.work) == nil {
      details.append("Nothing that is recorded was open on the main thread.")
    }
  }

  private mutating func tell(_ begin: Sentence, _ spans: [OpenSpan]) {
    guard !spans.isEmpty else { return }
    let shown = spans.prefix(Self.shownMax)
    let parts: [Sentence] = shown.map { span in
      let length = scene.words(scene.context.running(span, until: scene.event.time))
      return "\(scene.title(span))\(scene.at(span.site)) for \(length)"
    }
    witnesses += shown.map { scene.witness(Witness.open, $0) }
    details.append("\(begin) \(Self.list(parts, of: spans.count)).")
  }

  private mutating func tellHeld() {
    let state = scene.state
    let locks = state.resources.values.filter { $0.resourceClass == .lock }
    var parts: [Sentence] = state.tasks.values.prefix(Self.shownMax).map {
      "background task \(scene.title($0))\(scene.at($0.site)), \(scene.since($0.time)) old"
    }
    parts += state.wakes.values.prefix(Self.shownMax).map {
      "the wake by \(name: scene.names[$0.reason]), \(scene.since($0.time)) old"
    }
    parts += locks.prefix(Self.shownMax).map {
      "the lock on \(name: scene.names[$0.name])\(scene.at($0.site))"
    }
    let number = state.tasks.count + state.wakes.count + locks.count
    if !parts.isEmpty { details.append("Still open: \(Self.list(parts, of: number)).") }
    let unsaved = state.unsaved(at: .kernel)
    guard !unsaved.isEmpty else { return }
    let shown: [Sentence] = unsaved.prefix(Self.shownMax).map {
      "\(object: scene.names[$0.name])"
    }
    details.append("Unsaved: \(Self.list(shown, of: unsaved.count)).")
  }

  private static func list(_ parts: [Sentence], of count: Int) -> Sentence {
    let more = count - parts.count
    return parts.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
