// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension LifeState {
  /// How a process crashed that was in this state a moment before: `crashed (SIGILL) in
  /// applicationDidEnterBackground, in the background`; nil where it ended in another way.
  func crash(cause: String, code: UInt64, names: Names) -> String? {
    guard case .crash(let signal) = EndKind(cause: cause, code: code, isImported: false) else {
      return nil
    }
    var text = "crashed (\(signal))"
    let callback = openSpans(on: .main).last { $0.kind == .callbackBegin }
    if let callback { text += " in " + names[names[callback.site].name] }
    switch appState {
    case .unknown: return text
    case .notRunning: return text + ", before it had a state"
    case .background: return text + ", in the background"
    default: return text + ", \(appState)"
    }
  }
}
