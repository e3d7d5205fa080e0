// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetraceExplore
import LifetracePlatform
import LifetraceScenario

/// What is said when app code crashes while it is explored: its crash is the end of the test process,
/// and what was played then is known to nobody else.
///
///     lifetrace: the app crashes in the play that purge ends right behind draft.txt version 1 …
///
/// The line stands before the report of the crash itself. One exploration at a time has words.
@MainActor
final class CrashWords {
  /// What ends a process for a mistake of its code.
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

  /// Says `words` at a crash, from now on until ``stop()``.
  init() { cplatform_crash_listen(Self.signals, Int32(Self.signals.count)) }

  /// What is being played.
  func say(_ words: String) { cplatform_crash_words(words) }

  /// A crash from now on is none of ours.
  func stop() { cplatform_crash_stop() }
}

extension Point {
  /// What is said when app code crashes in the play that ends here.
  func crashWords(_ end: ScriptedEnd) -> String {
    let place = source.isEmpty ? "" : " (\(source))"
    let arguments = end.arguments.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    let what =
      "the app crashes in the play that \(end.act.rawValue) ends \(phrase)\(place), "
      + "event \(sequence) of process \(start + 1), \(key.stateWord), \(key.pending)"
    let again =
      "To play that alone: `launch: {\(arguments)}` for the step that launches process \(start + 1), "
      + "and `relaunch` behind the others"
    return "lifetrace: \(what)\n  \(again)\n"
  }
}
