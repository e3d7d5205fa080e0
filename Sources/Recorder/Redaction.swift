// SPDX-License-Identifier: Apache-2.0

/// A pattern of strings that must not reach the file.
///
///     try Redaction("/[0-9]{16}/")     // extended regular expression: what matches is replaced
///     try Redaction("*@example.com")   // glob: the whole string is replaced
public struct Redaction: Hashable, Sendable {
  /// As the user wrote it.
  public let pattern: String

  /// Checks the pattern.
  public init(_ pattern: String) throws(RecorderError) { self.pattern = pattern }
}
