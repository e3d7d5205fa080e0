// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Scene {
  /// How the process comes to its end with the event, as the end of a sentence that begins with *when*.
  var endClause: String {
    guard event.kind != .purge else { return "the app was purged" }
    let cause = names[event.endingCause]
    switch TerminationCause(rawValue: cause) {
    case .exit: return "the process exited"
    case .crash: return "the app crashed"
    case .user: return "the user ended the app"
    case .reboot: return "the device rebooted"
    case .powerLoss: return "the device lost power"
    case .watchdog: return "the watchdog killed the app"
    case .system: return "the system ended the app"
    case .purge: return "the app was purged"
    case .exitsOnSuspend: return "the app left the foreground, where it exits"
    case .deadlock: return "the system killed the app for a lock that it held"
    case .thermal: return "the device was too hot"
    case nil where cause == "signal":
      let code = Payload.ProcessExit(event).code
      return "\(SignalName.of(code) ?? "signal \(code)") ended the process"
    case nil:
      return "the process ended" + (cause.isEmpty ? "" : " (\(Wording.endCause(cause)))")
    }
  }

  /// ` (0xdead10cc, dead lock): it was suspended holding a file or database lock`.
  func killClause(_ code: UInt64) -> Sentence {
    let cause = names[event.endingCause]
    guard code != 0 else {
      return cause == JetsamReason.overLimit || cause == "jetsam"
        ? ": it used more memory than it may" : " (\(cause))"
    }
    let number: Sentence = "0x\(String(code, radix: 16))"
    guard let known = TerminationCode.named(code) else { return " (\(number), \(cause))" }
    return " (\(known.name.isEmpty ? "\(number)" : "\(number), \(known.name)")): \(known.meaning)"
  }
}
