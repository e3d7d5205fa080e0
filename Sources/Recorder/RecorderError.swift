// SPDX-License-Identifier: Apache-2.0

/// What keeps a recording from being made or going on.
public enum RecorderError: Error, Sendable {
  /// A call of the operating system failed: what was tried, on what, and why.
  case system(action: String, subject: String, errno: Int32)
  /// No place took a session directory; the places tried and why each refused.
  case noSessionDirectory(tried: [String])
  /// The session belongs to a recorder that is alive.
  case sessionInUse(path: String)
  /// What was found is not a session of this version.
  case notASession(path: String, why: String)
  /// The command does not exist.
  case commandNotFound(String)
  /// The command exists but cannot be run.
  case commandNotExecutable(String, errno: Int32)
  /// A pattern of `--redact` is wrong.
  case badPattern(String, why: String)
  /// A process did not do what was asked in time.
  case timeout(action: String, pid: Int32)
  /// The trace file refused; the message is the one of its own error.
  case file(path: String, message: String)
}
