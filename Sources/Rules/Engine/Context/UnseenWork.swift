// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Work of an app that a recording in virtual time cannot hold: what waits or computes in real time.
///
/// The simulator says so in the app's stream when the app begins some. From there on it is unknown
/// what was saved, ended or released. A breach that this work could have prevented is therefore
/// undecidable.
///
/// It says so too when work let time pass in one piece in which the system would have suspended or
/// ended the app, and could not. Behind that, a rule that seems kept is undecidable as well.
public enum UnseenWork {
  /// The key of `process.config`; its value says what was begun.
  public static let key = "not-simulated"
  /// The key of `process.config` whose value says which work could not be interrupted.
  public static let uninterruptedKey = "not-interrupted"

  /// Why verdicts are open behind it.
  static func reason(_ what: String) -> Sentence {
    "the app has begun \(what), which virtual time does not follow, and what it does there is not "
      + "in this recording; tasks, queues and threads are followed, and a real recording (lifetrace "
      + "record) has all"
  }

  /// Why verdicts are open behind work that held the system up.
  static func uninterruptedReason(_ what: String) -> Sentence {
    "\(what) in one piece, in which virtual time could not suspend or end the app; split it "
      + "(asyncAfter), or play it as a process (lifetrace record --scenario)"
  }
}

extension RuleContext {
  /// Why the rule that is looking cannot report a breach here: there is unseen work.
  var unseenReason: Sentence? {
    if let uninterruptedReason { return uninterruptedReason }
    guard let unseenWork, table[current].restsOnAllWork else { return nil }
    return UnseenWork.reason(unseenWork)
  }

  /// Why it cannot report either that it was kept.
  var uninterruptedReason: Sentence? {
    guard let uninterruptedWork, table[current].restsOnAllWork else { return nil }
    return UnseenWork.uninterruptedReason(uninterruptedWork)
  }

  /// Takes note of what the stream says of such work.
  mutating func note(config event: borrowing Event, _ names: borrowing Names) {
    let config = Payload.ProcessConfig(event)
    switch names[config.key] {
    case UnseenWork.key: unseenWork = names[config.value]
    case UnseenWork.uninterruptedKey: uninterruptedWork = names[config.value]
    default: break
    }
  }

  /// Looks for it among the facts, where the event that reported it was not seen.
  mutating func readUnseenWork(_ names: borrowing Names) {
    if let key = names.find(UnseenWork.key), let value = state.process.config[key] {
      unseenWork = names[value]
    }
    if let key = names.find(UnseenWork.uninterruptedKey), let value = state.process.config[key] {
      uninterruptedWork = names[value]
    }
    hasFacts = false
  }
}

// MARK: - Real time

extension RuleContext {
  /// How much processor time a callback took in a recording whose clock does not see it; else nil.
  func unjudgedTime(_ event: borrowing Event) -> Int64? {
    guard attributes.clock == .virtual, event.kind == .callbackEnd else { return nil }
    return Payload.CallbackEnd(event).cpu
  }

  /// Why a callback that computed so long cannot be judged.
  static func realTimeReason(_ cpu: Int64) -> Sentence {
    "it took \(duration: cpu) of real time, and virtual time does not judge it"
  }
}
