// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// Work of an app that a recording in virtual time cannot hold: a `Task`, a dispatch queue, a thread.
///
/// The simulator says so in the app's stream when the app begins some. From there on nobody knows
/// what was saved, ended or released: what the rules would call a breach, if that work could have
/// prevented it, is undecidable.
public enum UnseenWork {
  /// The key of `process.config`; its value says what was begun.
  public static let key = "not-simulated"

  /// Why verdicts are open behind it.
  static func reason(_ what: String) -> String {
    "the app has begun \(what), which virtual time does not follow, and what it does there is not "
      + "in this recording; WorkQueue is followed, and a real recording (lifetrace record) has all"
  }
}

extension RuleContext {
  /// Why the rule that is looking cannot tell a breach here, for work that nobody sees.
  var unseenReason: String? {
    guard let unseenWork, RuleTable.rules[current].restsOnAllWork else { return nil }
    return UnseenWork.reason(unseenWork)
  }

  /// Looks for it among the facts, where the event that told it was not seen.
  mutating func readUnseenWork(_ names: borrowing Names) {
    if let key = names.find(UnseenWork.key), let value = state.process.config[key] {
      unseenWork = names[value]
    }
    hasFacts = false
  }
}

// MARK: - Real time

extension RuleContext {
  /// How much processor time a callback took in a recording whose clock does not see it; else nil.
  func unjudgedTime(_ event: borrowing Event) -> Int64? {
    guard attributes.clock == .virtual, event.kind == .callbackEnd, event.argumentCount > 1 else {
      return nil
    }
    return Int64(clamping: event.arguments.1)
  }

  /// Why a callback that computed so long cannot be judged.
  static func realTimeReason(_ cpu: Int64) -> String {
    "it took \(Quantity.duration(cpu)) of real time, and virtual time does not judge it"
  }
}
