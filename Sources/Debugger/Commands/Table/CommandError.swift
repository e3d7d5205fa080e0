// SPDX-License-Identifier: GPL-3.0-or-later

/// A command that could not do what it was asked.
package struct CommandError: Error, Equatable {
  /// What is wrong and what would have done.
  package var message: String
  /// Whether the words were wrong, rather than the answer *no*.
  var isUsage: Bool
  /// Whether the recording leaves the answer open.
  var isUnknown = false

  /// The words were wrong.
  static func usage(_ message: String) -> CommandError {
    CommandError(message: message, isUsage: true)
  }

  /// The words were right, there is just no such thing.
  static func no(_ message: String) -> CommandError {
    CommandError(message: message, isUsage: false)
  }

  /// The words were right, and the recording lacks what would decide.
  static func unknown(_ message: String) -> CommandError {
    CommandError(message: message, isUsage: false, isUnknown: true)
  }
}
