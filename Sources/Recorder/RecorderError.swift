// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace
package import LifetraceTraceFile

/// What keeps a recording from being made or going on.
package enum RecorderError: Error, Sendable {
  /// A call of the operating system failed: what was tried, on what, and why.
  case system(action: String, subject: String, errno: Int32)
  /// No place took a session directory; the places tried and why each refused.
  case noSessionDirectory(tried: [(place: String, cause: RecorderError)])
  /// The session belongs to a recorder that is alive.
  case sessionInUse(path: String)
  /// The directory found is not a session of this version.
  case notASession(path: String, why: String)
  /// The trace that an interrupted session was writing is no longer there.
  case traceGone(session: String, trace: String)
  /// Where an interrupted session was writing stands a file that is not its trace.
  case traceOther(session: String, trace: String)
  /// The trace could not be written where it was asked for, for a cause that may be known; it is in
  /// the session.
  indirect case traceKept(session: String, trace: String, cause: RecorderError?)
  /// No file had the trace any more, and none could be made before the wait for it was over or
  /// `isGivenUp`; later events are in the session.
  indirect case traceLost(session: String, trace: String, cause: RecorderError, isGivenUp: Bool)
  /// The command does not exist.
  case commandNotFound(String)
  /// The command exists but cannot be run.
  case commandNotExecutable(String, errno: Int32)
  /// A process did not do what was asked in time.
  case timeout(action: String, pid: Int32)
  /// The trace file refused, and then what was tried instead; no causes where it just takes no more.
  case file(path: String, causes: [TraceFileError])
}

extension RecorderError: CustomStringConvertible {
  /// What happened, where and why, in one line.
  package var description: String {
    let plain = Printable.line
    return switch self {
    case .system(let action, let subject, let errno):
      "cannot \(action): \(plain(subject)): \(errnoText(errno))"
    case .noSessionDirectory(let tried):
      "no place for a session directory; tried "
        + plain(tried.map { "\($0.place): \($0.cause.reason)" }.joined(separator: "; "))
        + "\n  What this machine can do: lifetrace doctor"
    case .sessionInUse(let path): "\(plain(path)): another recorder is at work there"
    case .notASession(let path, let why): "\(plain(path)): not a session: \(plain(why))"
    case .traceGone(let session, let trace):
      """
      \(plain(trace)): is gone; what the apps left since its last chunk is still in \(plain(session))
        To bring it in: lifetrace record --recover \(plain(session)) -o OUT   to give it up: rm -r \(plain(session))
      """
    case .traceOther(let session, let trace):
      """
      \(plain(trace)): is not what the killed recorder was writing, and is left as it is; what the apps left since its last chunk is still in \(plain(session))
        To bring it in: lifetrace record --recover \(plain(session)) -o OUT   to give it up: rm -r \(plain(session))
      """
    case .traceKept(let session, let trace, let cause):
      """
      \(Self.words(cause, of: trace))
        The whole recording is kept in \(plain(session))
        To bring it in: lifetrace record --recover \(plain(session)) -o OUT
      """
    case .traceLost(let session, let trace, let cause, let isGivenUp):
      """
      \(Self.words(cause, of: trace))\(isGivenUp ? "\n  A signal ended the wait for room." : "")
        No file had the recording any more: it is lost; what the apps left since its last chunk is still in \(plain(session))
        To bring that in: lifetrace record --recover \(plain(session)) -o OUT   to give it up: rm -r \(plain(session))
      """
    case .commandNotFound(let name): "\(plain(name)): command not found"
    case .commandNotExecutable(let name, let errno):
      "\(plain(name)): cannot be run: \(errnoText(errno))"
    case .timeout(let action, let pid): "process \(pid) did not \(action) in time"
    case .file(let path, let causes) where causes.isEmpty: "\(plain(path)): it takes no more"
    case .file(let path, let causes):
      (causes[0].path.hasPrefix(path) ? "" : "\(plain(path)): ")
        + causes.map(\.description).joined(separator: "\n  ")
    }
  }

  /// The cause, with the path of the trace in front unless it is about that, or a file beside it.
  private static func words(_ cause: RecorderError?, of trace: String) -> String {
    let words = cause?.description ?? "it could not be written where it was asked for"
    if case .file(let path, _) = cause, path.hasPrefix(trace) { return words }
    return "\(Printable.line(trace)): \(words)"
  }

  /// The part that says why, without the subject.
  var reason: String {
    if case .system(_, _, let errno) = self { return errnoText(errno) }
    return description
  }
}
