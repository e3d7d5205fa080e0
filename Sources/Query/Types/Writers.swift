// SPDX-License-Identifier: Apache-2.0

/// A writer whose state an expression asks by name: `syncd`, `notes#2`.
package struct NamedWriter: Hashable, Sendable {
  /// As it was typed, or as others call it.
  package let name: String
  /// The streams of its lives, in order of their start.
  package let streams: [Int]

  /// The lives of one app, or one of them.
  package init(name: String, streams: [Int]) { (self.name, self.streams) = (name, streams) }
}

/// What a name may mean to the one who knows the writers of a recording.
package enum WriterMeaning: Sendable {
  case nobody
  /// The streams of its lives, in order of their start.
  case writer([Int])
  /// These can be meant.
  case several([String])
}
