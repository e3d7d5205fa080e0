// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family SY: what the system did to the process, and what it did to itself.
///
/// It stands last in the table: at the same event, the others have named the reason of a kill before.
enum TheSystem {
  static let family = RuleFamily("SY", "The system", [kill, crash, exit])

  static let kill = Rule(
    "SY01",
    "The system does not kill the app for a reason that no other rule names.",
    source: "Xcode documentation, Understanding the exception types in a crash report: "
      + "termination codes",
    fix: "Look at what was open when it was killed; the code says what the system was waiting for.",
    roles: .all,
    restsOnAllWork: true,
    Each(attention: Trigger.endings) { event, context, names in
      guard let end = end(event, context, names) else { return nil }
      let isApp = context.attributes.role == .app
      switch end {
      case .crash, .ordinary: return .held
      case .kill(let code): return isExplained(event.sequence, code, context) ? .held : .broken()
      case .signal: return isApp ? .broken(.info) : .held
      case .unknown: return isApp ? .unclear(unseen(event, names)) : nil
      }
    } says: { scene in
      switch end(scene.event, scene.context, scene.names) {
      case .signal(let name):
        return Story(
          "\(name: name) ended the app, and who sent it is not recorded",
          [],
          [scene.witness("end")],
          advice: "Nothing, if it was meant; else look for who kills processes on this machine."
        )
      case .kill(let code):
        let story = OpenStory("killed", scene)
        return Story(
          "the system killed the app\(scene.killClause(code))",
          story.details,
          story.witnesses
        )
      default: return Story("the system may have killed the app", [], [scene.witness("end")])
      }
    }
  )

  static let crash = Rule(
    "SY02",
    "The process does not crash.",
    source: "App Programming Guide, App Termination: a crash ends the app without notice",
    fix: "Read the stack that it printed, and what was open; save at checkpoints, for a crash "
      + "gives no chance to.",
    roles: .all,
    Each(attention: Trigger.endings) { event, context, names in
      guard let end = end(event, context, names) else { return nil }
      switch end {
      case .kill, .signal, .ordinary: return .held
      case .crash: return .broken()
      case .unknown:
        return context.attributes.role == .app ? .unclear(unseen(event, names)) : nil
      }
    } says: { scene in
      guard case .crash(let signal) = end(scene.event, scene.context, scene.names) else {
        return Story("the process may have crashed", [], [scene.witness("end")])
      }
      let story = OpenStory("crashed", scene)
      let who = scene.context.attributes.role == .app ? "the app" : "the process"
      let how = signal.isEmpty ? "" : " (\(signal))"
      // No runtime prints one for a program in C, and nobody captures what is not asked for.
      let isPrinted = !scene.context.history.lastWords.frames.isEmpty
      return Story(
        "\(who) crashed\(how)\(story.callback)",
        story.details,
        story.witnesses,
        advice: isPrinted
          ? nil
          : "Look at what was open; no stack was recorded: record with --capture-output, or let it crash under a "
            + "debugger. Save at checkpoints, for a crash gives no chance to."
      )
    }
  )

  static let exit = Rule(
    "SY03",
    "The app does not end itself.",
    source: "UIApplication: an app does not quit; the user leaves it, and the system ends it",
    severity: .warning,
    fix: "Return to the run loop; show what is wrong instead of calling exit.",
    Each(attention: Trigger.endings) { event, context, names in
      // A process that never said a state is a tool, and returns when it is done.
      guard context.state.process.ending == nil, context.history.hasStated else { return nil }
      let isExit = names[event.endingCause] == TerminationCause.exit.rawValue
      switch context.state.appState {
      case .inactive, .active, .background: return isExit ? .broken() : .held
      case .unknown where isExit: return .unclear(context.unknownState)
      default: return nil
      }
    } says: { scene in
      guard scene.state.appState != .unknown else {
        return Story("the app may have ended itself", [], [scene.witness("exited")])
      }
      let story = OpenStory("exited", scene)
      let status = Payload.ProcessExit(scene.event).code
      let how: Sentence = status == 0 ? "" : ", with status \(status)"
      return Story(
        "the app ended itself while it was \(scene.state.appState.word)\(how)",
        story.details,
        story.witnesses
      )
    }
  )

  /// How the process ends, from the first event that reports it; nil for the exit behind a purge.
  private static func end(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> EndKind? {
    guard context.state.process.ending == nil else { return nil }
    let cause = names[event.endingCause]
    if event.kind == .purge { return cause == JetsamReason.overLimit ? .kill(0) : .ordinary }
    return EndKind(
      cause: cause,
      code: Payload.ProcessExit(event).code,
      isImported: context.attributes.evidence == .log
    )
  }

  /// Why it is not known how it ended.
  private static func unseen(_ event: borrowing Event, _ names: borrowing Names) -> Sentence {
    let seen = ExitEvidence.words(names[event.exitEvidence])?.reason
    return "how it ended is not known\(seen.map { ": \($0)" } ?? "")"
  }

  /// Whether a violation of another rule says why: at this end, at the suspension before it, or where
  /// work began that was still open.
  private static func isExplained(
    _ end: UInt64,
    _ code: UInt64,
    _ context: borrowing RuleContext
  ) -> Bool {
    let rules: [String] =
      switch code {
      case TerminationCode.watchdog:
        // Some systems give this code for a background task too.
        ["DL01", "DL02", "DL03", "DL04", "DL05", "DL08", "DL11", "MT09"]
      case TerminationCode.deadLock: ["RS06"]
      case TerminationCode.backgroundTask: ["DL05"]
      case TerminationCode.urlSession, TerminationCode.fetch: ["DL09"]
      case TerminationCode.badCall: ["DL09", "DL12"]
      default: ["DL05", "DL09", "MT07", "RS06"]
      }
    var places = [end]
    if context.state.appState == .suspended { places.append(context.state.stateSequence) }
    // What was forbidden to begin, and was not over.
    for span in context.state.spans.values where span.kind == .workBegin {
      places.append(span.sequence)
    }
    for id in rules {
      guard let rule = context.table.firstIndex(where: { $0.info.id == id }) else { continue }
      if context.tallies.isViolated(rule, context.stream, at: places) { return true }
      // A call that is not reported is named where its wake is completed, seconds before the kill.
      if id == "DL12", context.tallies.isViolated(rule, context.stream) { return true }
    }
    return false
  }
}
