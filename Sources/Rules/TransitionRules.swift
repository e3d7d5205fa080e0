// SPDX-License-Identifier: Apache-2.0
import Lifecycle
import Trace

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
      return context.violated(at: event.sequence, event.time) {
        .init(
          title: "the trace says the app left \(said.word), but it was \(change.from.word)",
          details: ["It had been \(change.from.word) since event \(since)."],
          witnesses: [witness]
        )
      }
    }
    if change.from.canBecome(change.to) { return context.held() }
    let isLog = event.isHearsay
    if isLog && change.from.expanded(to: change.to) != [] { return context.held() }
    let title = "the app went from \(change.from.word) to \(change.to.word) in one step"
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
        .init(title: title, witnesses: witnesses)
      }
    }
    context.violated(at: event.sequence, event.time) { .init(title: title, witnesses: witnesses) }
  }
}

extension Event {
  /// The state that a transition says it left.
  var statedOrigin: AppState? {
    kind == .transition ? AppState(rawValue: UInt8(clamping: arguments.0)) : nil
  }
}

extension Event {
  /// Whether it comes from a log, which may leave things out, or follows from others.
  var isHearsay: Bool {
    let isInferred = flags.contains(.inferred)
    return observer == .import || isInferred
  }
}
