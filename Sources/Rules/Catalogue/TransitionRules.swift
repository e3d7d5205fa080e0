// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family ST: transitions and the order of callbacks.

/// Every change of state is an edge of the state machine.
struct ST01: Rule {
  static let info = RuleInfo(
    "ST01",
    "The app goes from state to state only as the system moves it.",
    source:
      "iPhone Application Programming Guide, App States; App Programming Guide, App Life Cycle",
    severity: .error,
    fix:
      "Suspect the recording first: the recorder, the importer or the simulator left a state out."
  )
  static let attention = Attention.kinds(Attention.stateChanges)

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let change = context.change, event.kind != .processStart else { return }
    if let said = event.statedOrigin, said != change.from, said != .unknown,
      change.from != .unknown
    {
      let witness = context.witness("left \(said.word)", event, names)
      let since = context.state.stateSequence
      return context.violated(at: event.sequence, event.time) { context in
        .init(
          title: "the trace says the app left \(said.word), but it was \(change.from.word)",
          details: ["It had been \(change.from.word) since \(context.event(since))."],
          witnesses: [witness]
        )
      }
    }
    // An app that never said a state of its own is stopped like any process: that is no step.
    let isStop = [.suspend, .resume].contains(event.kind)
    if isStop, change.from == .notRunning { return }
    if change.from.canBecome(change.to) { return context.held() }
    let isLog = event.isHearsay
    if isLog && change.from.expanded(to: change.to) != [] { return context.held() }
    let title: Sentence = "the app went from \(change.from.word) to \(change.to.word) in one step"
    let witnesses = [
      context.witness(
        "was \(change.from.word)",
        context.state.stateSequence,
        context.state.stateSince,
        .none,
        names
      ),
      context.witness("became \(change.to.word)", event, names),
    ]
    if isLog {
      return context.undecidable("a log may leave a step out", at: event.sequence, event.time) {
        _ in
        .init(title: title, witnesses: witnesses)
      }
    }
    context.violated(at: event.sequence, event.time) { _ in
      .init(title: title, witnesses: witnesses)
    }
  }
}

/// A suspended app is told nothing, not even that it ends.
struct ST06: Rule {
  static let info = RuleInfo(
    "ST06",
    "willTerminate is never called while the app is suspended.",
    source: "iPhone Application Programming Guide; App Programming Guide, App Termination",
    severity: .error,
    fix: "Check when the suspension was observed; save before it, for nothing is called after it."
  )
  static let attention = Attention.kinds([.callbackBegin])

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.callback == .willTerminate else { return }
    switch context.state.appState {
    case .unknown:
      let reason = context.unknownState
      let witness = context.witness("willTerminate", event, names)
      context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(
          title: "\(name: "willTerminate") was called in a state that is not known",
          witnesses: [witness]
        )
      }
    case .suspended:
      let witnesses = [
        context.suspendedWitness(names),
        context.witness("willTerminate", event, names),
      ]
      let asleep = event.time - context.state.stateSince
      context.violated(at: event.sequence, event.time) { context in
        .init(
          title: "\(name: "willTerminate") was called while the app was suspended",
          details: ["It had been suspended for \(context.words(asleep))."],
          witnesses: witnesses
        )
      }
    default: context.held()
    }
  }
}

/// A suspended app executes nothing: code seen there shows a wrong clock or a wrong inference.
struct ST07: Rule {
  static let info = RuleInfo(
    "ST07",
    "No code of the app runs while it is suspended.",
    source: "iPhone Application Programming Guide, App States: suspended",
    severity: .error,
    fix: "Check the clocks and how the suspension was observed."
  )
  static let attention = Attention.kindsAndAll(Attention.stateChanges, in: .suspended)
  private var isReported = false
  private var isDoubtful = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if let change = context.change {
      if change.from == .suspended && !isReported && !isDoubtful { context.held() }
      isReported = false
      isDoubtful = false
      return
    }
    guard context.state.appState == .suspended, event.observer == .own, !isReported,
      event.kind.family != .meta
    else { return }
    // What was preempted before the stop is delivered late, with its old time.
    let into = event.time - context.state.stateSince
    guard into > 0 else { return }
    let witnesses = [
      context.suspendedWitness(names),
      context.witness(event.kind.info?.name ?? "an event", event, names),
    ]
    let error = context.uncertainty(event.time, context.state.stateSince, flags: event.flags)
    let what = StoryWords.title(of: event, names)
    if into <= error {
      isDoubtful = true
      let reason: Sentence =
        "the event is \(context.words(into)) behind the suspension, "
        + "and times are right to ± \(context.words(error))"
      return context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(title: "\(what) may have run while the app was suspended", witnesses: witnesses)
      }
    }
    isReported = true
    context.violated(at: event.sequence, event.time) { context in
      .init(
        title: "\(what) ran \(context.words(into)) after the app was suspended",
        witnesses: witnesses
      )
    }
  }
}

extension Event {
  /// The state that a transition says it left.
  var statedOrigin: AppState? {
    kind == .transition ? Payload.Transition(self).from.value : nil
  }
}

extension Event {
  /// Whether it comes from a log, which may leave things out, or follows from others.
  var isHearsay: Bool {
    let isInferred = flags.contains(.inferred)
    return observer == .import || isInferred
  }
}

extension RuleContext {
  /// The event that brought the app into the state it is in.
  func suspendedWitness(_ names: borrowing Names) -> Witness {
    witness(state.appState.word, state.stateSequence, state.stateSince, .none, names)
  }
}

/// Names for events in sentences.
enum StoryWords {
  /// `work "save"`, `callback "didEnterBackground"`, `data.dirty "draft.txt"`.
  static func title(of event: borrowing Event, _ names: borrowing Names) -> Sentence {
    let info = event.kind.info
    let word: Sentence =
      switch event.kind {
      case .callbackBegin, .callbackEnd: "callback"
      case .workBegin, .workEnd: "work"
      case .turnBegin, .turnEnd: "a turn of the run loop"
      case let kind: info.map { "\(name: $0.name)" } ?? "an event of kind \(kind.rawValue)"
      }
    let name =
      info?.isNameIdentity == true ? names[event.identityName] : names[names[event.site].name]
    return name.isEmpty ? word : "\(word) \"\(name: name)\""
  }
}
