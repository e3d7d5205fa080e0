// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family SY: what the system did to the process, and what it did to itself. These rules stand last
// in the table: at the same event, the others have spoken before.

/// The system kills nobody without a reason that is found.
struct SY01: Rule {
  static let info = RuleInfo(
    "SY01",
    "The system does not kill the app for a reason that no other rule names.",
    source: "Xcode documentation, Understanding the exception types in a crash report: "
      + "termination codes",
    severity: .error,
    fix: "Look at what was open when it was killed; the code says what the system was waiting for.",
    roles: .all
  )
  static let attention = Attention.kinds(Attention.endings)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let end = Ending(event, context, names) else { return }
    switch end.kind {
    case .crash, .ordinary: context.held()
    case .kill(let code) where isExplained(event.sequence, code, context): context.held()
    case .kill(let code):
      let story = OpenStory(event, "killed", context, names)
      context.violated(at: event.sequence, event.time) { _ in
        .init(
          title: "the system killed the app\(Self.reason(end.cause, code))",
          details: story.details,
          witnesses: story.witnesses
        )
      }
    case .signal(let name):
      guard context.attributes.role == .app else { return context.held() }
      let witness = context.witness("end", event, names)
      context.violated(at: event.sequence, event.time, severity: .info) { _ in
        .init(
          title: "\(name: name) ended the app, and who sent it is not recorded",
          witnesses: [witness],
          advice: "Nothing, if it was meant; else look for who kills processes on this machine."
        )
      }
    case .unknown: end.doubt("the system may have killed the app", event, &context, names)
    }
  }

  /// Whether a violation of another rule says why, at this end or at the suspension before it.
  private func isExplained(
    _ end: UInt64,
    _ code: UInt64,
    _ context: RuleContext
  ) -> Bool {
    let rules: [String] =
      switch code {
      case TerminationCode.watchdog: ["DL01", "DL02", "DL03", "DL11"]
      case TerminationCode.deadLock: ["RS06"]
      case TerminationCode.backgroundTask: ["DL05"]
      case TerminationCode.urlSession, TerminationCode.fetch, TerminationCode.badCall: ["DL09"]
      default: ["DL05", "DL09", "RS06"]
      }
    var places = [end]
    if context.state.appState == .suspended { places.append(context.state.stateSequence) }
    return rules.contains { context.tallies.isViolated($0, context.stream, at: places) }
  }

  /// ` (0xdead10cc, dead lock): it was suspended holding a file or database lock`.
  private static func reason(_ cause: String, _ code: UInt64) -> Sentence {
    guard code != 0 else {
      return cause == JetsamReason.overLimit || cause == "jetsam"
        ? ": it used more memory than it may" : " (\(cause))"
    }
    let number: Sentence = "0x\(String(code, radix: 16))"
    guard let known = TerminationCode.named(code) else { return " (\(number), \(cause))" }
    return " (\(known.name.isEmpty ? number : "\(number), \(known.name)")): \(known.meaning)"
  }
}

/// The app does not crash.
struct SY02: Rule {
  static let info = RuleInfo(
    "SY02",
    "The process does not crash.",
    source: "App Programming Guide, App Termination: a crash ends the app without notice",
    severity: .error,
    fix: "Read the stack that it printed, and what was open; save at checkpoints, for a crash "
      + "gives no chance to.",
    roles: .all
  )
  static let attention = Attention.kinds(Attention.endings)

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let end = Ending(event, context, names) else { return }
    switch end.kind {
    case .kill, .signal, .ordinary: context.held()
    case .crash(let signal):
      let story = OpenStory(event, "crashed", context, names)
      let who = context.attributes.role == .app ? "the app" : "the process"
      context.violated(at: event.sequence, event.time) { _ in
        .init(
          title: "\(who) crashed\(signal.isEmpty ? "" : " (\(signal))")\(story.callback)",
          details: story.details,
          witnesses: story.witnesses
        )
      }
    case .unknown: end.doubt("the process may have crashed", event, &context, names)
    }
  }
}

/// The end of a process, from the first event that tells of it.
private struct Ending {
  let cause: String
  let kind: EndKind

  /// Nil for the exit behind a purge, and what the harness does to everybody.
  init?(_ event: borrowing Event, _ context: RuleContext, _ names: borrowing Names) {
    guard context.state.process.ending == nil else { return nil }
    cause = names[event.endingCause]
    let isOver = cause == JetsamReason.overLimit
    kind =
      event.kind == .purge
      ? (isOver ? .kill(0) : .ordinary)
      : EndKind(
        cause: cause,
        code: Payload.ProcessExit(event).code,
        isImported: context.attributes.evidence == .log
      )
  }

  /// Nobody saw how it ended: `title` is what cannot be ruled out.
  func doubt(
    _ title: Sentence,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.attributes.role == .app else { return }
    let seen = ExitEvidence.words(names[event.exitEvidence])?.reason
    let reason: Sentence = "how it ended is not known\(seen.map { ": \($0)" } ?? "")"
    let witness = context.witness("end", event, names)
    context.undecidable(reason, at: event.sequence, event.time) { _ in
      .init(title: title, witnesses: [witness])
    }
  }
}
