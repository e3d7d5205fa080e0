// SPDX-License-Identifier: Apache-2.0
internal import LifetracePlatform

/// A file that a writer makes beside a trace for a moment, by its name.
///
///     run.lifetrace.lifetrace-before-4711     what a new recording is about to replace
///     run.lifetrace.lifetrace-compact-4711    a copy with fewer chunks that is to take the place
///
/// No other program names a file like that by chance; but a name alone proves nothing.
package enum SideFile: String, CaseIterable, Sendable {
  case before = "lifetrace-before-"
  case compact = "lifetrace-compact-"

  /// The one that this process makes beside `trace`.
  package func path(beside trace: String) -> String { "\(trace).\(rawValue)\(getpid())" }

  /// Which one it is, and the process that made it, by what stands behind the trace's name and a
  /// dot; nil for any other name.
  package static func parse(_ suffix: Substring) -> (kind: SideFile, process: Int32)? {
    for kind in allCases where suffix.hasPrefix(kind.rawValue) {
      let digits = suffix.dropFirst(kind.rawValue.count)
      if let process = Int32(digits), process > 0, digits == "\(process)" { return (kind, process) }
    }
    return nil
  }
}
