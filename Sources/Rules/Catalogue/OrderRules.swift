// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family ST, continued: what a callback says about the callbacks before it.

/// didBecomeActive and willResignActive come in turn.
struct ST02: Rule {
  static let info = RuleInfo(
    "ST02",
    "didBecomeActive is never called twice without willResignActive in between.",
    source: "iPhone Application Programming Guide; App Programming Guide, App State Transitions",
    severity: .error,
    fix: "Suspect the recording, or code that calls the delegate itself."
  )
  static let attention = Attention.kinds([.callbackBegin])
  private var last: (callback: Callback, sequence: UInt64, time: HostTime)?

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let callback = context.callback,
      callback == .didBecomeActive || callback == .willResignActive
    else { return }
    defer { last = (callback, event.sequence, event.time) }
    guard callback == .didBecomeActive else { return }
    guard let last, last.callback == .didBecomeActive else { return context.held() }
    let witnesses = [
      context.witness("active", last.sequence, last.time, .none, names),
      context.witness("active again", event, names),
    ]
    let title: Sentence =
      "\(name: "didBecomeActive") was called twice, and willResignActive not in between"
    let doubt: Sentence? = context.doubt(.callback, since: last.time)
      .map { "the call may be missing: \($0)" }
    context.violated(at: event, unless: doubt, title, witnesses)
  }
}

/// The app hears that it resigns before it hears that it is in the background.
struct ST03: Rule {
  static let info = RuleInfo(
    "ST03",
    "didEnterBackground is called only after willResignActive, unless the app was launched into the background.",
    source: "App Programming Guide, Strategies for Handling App State Transitions",
    severity: .error,
    fix: "Suspect the recording, or code that calls the delegate itself."
  )
  static let attention = Attention.kinds([.callbackBegin])
  private var active: (sequence: UInt64, time: HostTime)?
  private var resigned: HostTime?

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch context.callback {
    case .didBecomeActive: active = (event.sequence, event.time)
    case .willResignActive:
      active = nil
      resigned = event.time
    case .didEnterBackground:
      var active = active
      // Who does not record didBecomeActive may tell the state all the same.
      let since = context.state.stateSince
      if active == nil, context.state.appState == .active, resigned.map({ $0 < since }) ?? true {
        active = (context.state.stateSequence, since)
      }
      guard let active else { return context.held() }
      let witnesses = [
        context.witness("active", active.sequence, active.time, .none, names),
        context.witness("background", event, names),
      ]
      let title: Sentence =
        "\(name: "didEnterBackground") was called, and willResignActive not before it"
      let doubt: Sentence? = context.unseen(.callback, since: active.time)
        .map { "the call may be missing: \($0)" }
      context.violated(at: event, unless: doubt, title, witnesses)
    default: break
    }
  }
}

/// Only an active app is touched.
struct ST12: Rule {
  static let info = RuleInfo(
    "ST12",
    "Touches reach the app only while it is active.",
    source: "iPhone Application Programming Guide, App States: inactive apps receive no events",
    severity: .error,
    fix: "Suspect the recording: the state or the touch is stamped wrong."
  )
  static let attention = Attention.kinds([.touch])

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let state = context.state.appState
    if state == .active { return context.held() }
    let into = event.time - context.state.stateSince
    guard into >= 0 else { return }
    let witnesses = [context.suspendedWitness(names), context.witness("touch", event, names)]
    if state == .unknown {
      let reason = context.unknownState
      return context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(title: "a touch was delivered in a state that is not known", witnesses: witnesses)
      }
    }
    context.violated(at: event.sequence, event.time) { context in
      .init(
        title: "a touch was delivered while the app was \(state.word)",
        details: ["It had been \(state.word) for \(context.words(into))."],
        witnesses: witnesses
      )
    }
  }
}
