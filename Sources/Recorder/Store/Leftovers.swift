// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
import LifetraceTraceFile

/// What recorders that were killed have left beside a trace.
///
///     run.lifetrace.before-4711     the trace that -f was about to replace
///     run.lifetrace.4711.compact    a copy with fewer chunks that was to take the trace's place
///
/// Their writer holds a lock on each as long as it lives, so what can be locked is nobody's. Who
/// writes the trace next tidies: a copy goes where the trace itself is there; the trace before goes
/// where the new one has events, and is put back where it has none. Who only reads names them, and
/// changes nothing. What cannot be decided so stays, and is named with what would do.
package enum Leftovers {
  static func replaced(_ output: String) -> String { "\(output).before-\(getpid())" }

  /// The trace that could be written nowhere else.
  static func kept(in session: String) -> String { absolutePath(session) + "/trace" }

  /// Whether it is that one, by whatever path the session was named.
  static func isKept(_ trace: String, in session: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(trace, &one) == 0 && stat(kept(in: session), &other) == 0
      && one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private enum Kind { case before, compact }

  /// Removes what is certainly not needed and puts back what is; a sentence for each.
  package static func tidy(beside output: String) -> [String] {
    found(beside: output).map { path, kind, lock in
      let holds = events(of: output)
      switch (kind, holds) {
      case _ where isEmpty(path):
        unlink(path)
        return "\(path): removed, it was empty: left by a recorder that was killed"
      case (.compact, .some):
        unlink(path)
        return "\(path): removed, a copy of \(output) left by a recorder that was killed"
      case (.before, .some):
        unlink(path)
        return "\(path): removed, it is the trace that \(output) was to replace and has replaced"
      case (.before, .none)
      where holdsNothing(output) && !isAwaited(output) && rename(path, output) == 0:
        return "\(output): is again what it was before a recorder was killed that was to replace it"
      default:
        return hint(path, kind, output)
      }
    }
  }

  /// What stands beside `output`, a sentence each with the command that helps.
  package static func hints(beside output: String) -> [String] {
    found(beside: output).map { path, kind, _ in hint(path, kind, output) }
  }

  private static func hint(_ path: String, _ kind: Kind, _ output: String) -> String {
    let what =
      kind == .before
      ? "what \(output) held before a recorder was killed that was to replace it"
      : "a copy of \(output), left by a recorder that was killed"
    return "\(path): \(what)\n  Look: lifetrace info \(path)   then: rm \(path), or mv it back"
  }

  /// Those whose writer is gone.
  private static func found(beside output: String) -> [(path: String, kind: Kind, lock: TraceLock)]
  {
    guard let slash = output.lastIndex(of: "/") else { return [] }
    let directory = String(output[..<slash])
    let name = output[output.index(after: slash)...]
    return namesInDirectory(directory.isEmpty ? "/" : directory).compactMap { entry in
      guard entry.hasPrefix(name + "."), let kind = kind(entry.dropFirst(name.count + 1)),
        let lock = try? TraceLock(directory + "/" + entry)
      else { return nil }
      return (directory + "/" + entry, kind, lock)
    }
  }

  /// `before-4711` and `4711.compact`, and nothing else that somebody may have named alike.
  private static func kind(_ suffix: Substring) -> Kind? {
    func isNumber(_ text: Substring) -> Bool { !text.isEmpty && text.allSatisfy(\.isNumber) }
    if suffix.hasPrefix("before-"), isNumber(suffix.dropFirst(7)) { return .before }
    return suffix.hasSuffix(".compact") && isNumber(suffix.dropLast(8)) ? .compact : nil
  }

  /// Whether a dead recorder has left events for it: they belong into this file and no other.
  private static func isAwaited(_ output: String) -> Bool {
    SessionDirectory.orphans().contains { SessionAbout(in: $0)?.output == output }
  }

  private static func isEmpty(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_size == 0
  }

  /// How many events the trace holds; nil where it holds none, or is none.
  private static func events(of trace: String) -> Int? {
    let count = (try? TraceReader(path: trace))?.census.events ?? 0
    return count > 0 ? count : nil
  }

  /// Whether it is a trace without events to which nobody writes.
  private static func holdsNothing(_ trace: String) -> Bool {
    guard (try? TraceLock(trace)) != nil, let reader = try? TraceReader(path: trace) else {
      return false
    }
    return reader.streams.isEmpty
  }
}
