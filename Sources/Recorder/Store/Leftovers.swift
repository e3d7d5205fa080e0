// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
import LifetraceTraceFile

/// What recorders that were killed have left beside a trace, under the names of ``SideFile``.
///
/// A name is no proof: a user may have given it to a file of their own. So a leftover is removed
/// only where its process is gone, it is not locked, and all that it holds stands in the trace as
/// well. The trace's earlier contents are put back only where the new one holds nothing. Everything
/// else stays, and is named with a remedy. Only a recovery, and a recorder that has made the file
/// itself, tidy at all: any other command that meets one, to read or to record anew, only names it.
package enum Leftovers {
  /// The trace that could be written nowhere else.
  static func kept(in session: String) -> String { absolutePath(session) + "/trace" }

  /// Whether it is that one, by whatever path the session was named.
  static func isKept(_ trace: String, in session: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(trace, &one) == 0 && stat(kept(in: session), &other) == 0
      && one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private struct Leftover {
    var path: String
    var kind: SideFile
    var process: Int32
    /// Keeps others from writing to it.
    var lock: TraceLock

    /// Whether the file that was looked at is gone from its path now.
    func remove() -> Bool { lock.stands(at: path) && unlink(path) == 0 }
  }

  /// Removes files proved to be in the trace and puts back those it has lost; a sentence for each.
  ///
  /// The leftovers of processes that are gone.
  package static func tidy(beside output: String) -> [String] {
    tidy(found(beside: output), output)
  }

  /// The same of a copy that this process has made and that did not take the trace's place.
  static func tidyOwnCopy(of output: String) -> [String] {
    tidy(found(beside: output, leftBy: getpid()).filter { $0.kind == .compact }, output)
  }

  private static func tidy(_ leftovers: [Leftover], _ output: String) -> [String] {
    leftovers.map { leftover in
      if holds(output, all: leftover), leftover.remove() {
        return "\(leftover.path): removed, all that it holds stands in \(output)"
      }
      if leftover.kind == .before, holdsEvents(leftover.path), holdsNothing(output),
        !isAwaited(output), leftover.lock.stands(at: leftover.path),
        rename(leftover.path, output) == 0
      {
        return "\(output): is again what it was before a recorder was killed that was to replace it"
      }
      return hint(leftover, output)
    }
  }

  /// What stands beside `output` by the names of those that are gone, a sentence each with the
  /// command that helps.
  package static func hints(beside output: String) -> [String] {
    found(beside: output).map { hint($0, output) }
  }

  private static func hint(_ leftover: Leftover, _ output: String) -> String {
    let path = leftover.path
    let what =
      switch leftover.kind {
      case .before: "what \(output) held before a recorder was to replace it"
      case .compact: "a copy of \(output)"
      }
    return "\(path): by its name, \(what); process \(leftover.process) has left it\n"
      + "  Look: lifetrace info \(path)   then: rm \(path), or mv it back"
  }

  /// Files named like a leftover of that process; by default of any that is gone.
  private static func found(beside output: String, leftBy process: Int32? = nil) -> [Leftover] {
    guard let slash = output.lastIndex(of: "/") else { return [] }
    let directory = String(output[..<slash])
    let name = output[output.index(after: slash)...]
    return namesInDirectory(directory.isEmpty ? "/" : directory).compactMap { entry in
      guard entry.hasPrefix(name + "."),
        let (kind, maker) = SideFile.parse(entry.dropFirst(name.count + 1)),
        process.map({ $0 == maker }) ?? isGone(maker),
        let lock = try? TraceLock(directory + "/" + entry)
      else { return nil }
      return Leftover(path: directory + "/" + entry, kind: kind, process: maker, lock: lock)
    }
  }

  private static func isGone(_ process: Int32) -> Bool {
    kill(process, 0) != 0 && errno == ESRCH
  }

  /// Whether it is a trace with events, all of which stand in the other one.
  private static func holds(_ trace: String, all leftover: Leftover) -> Bool {
    guard let reader = try? TraceReader(path: trace),
      let other = try? TraceReader(path: leftover.path), other.census.events > 0,
      let isHeld = try? reader.holdsAll(of: other)
    else { return false }
    return isHeld
  }

  /// Whether a dead recorder has left events for it: they belong into this file and no other.
  private static func isAwaited(_ output: String) -> Bool {
    SessionDirectory.orphans().contains { SessionAbout(in: $0)?.output == output }
  }

  private static func holdsEvents(_ trace: String) -> Bool {
    (try? TraceReader(path: trace)).map { $0.census.events > 0 } ?? false
  }

  /// Whether it is a trace without events that is not being written.
  private static func holdsNothing(_ trace: String) -> Bool {
    guard (try? TraceLock(trace)) != nil, let reader = try? TraceReader(path: trace) else {
      return false
    }
    return reader.streams.isEmpty
  }
}
