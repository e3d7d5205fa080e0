// SPDX-License-Identifier: Apache-2.0
public import Lifetrace

/// The notes on disk: one file, written whole or not at all.
public struct Store: Sendable {
  /// The file of the draft.
  public let path: String
  /// The draft as the trace knows it.
  public let draft = Lifetrace.Object("draft.txt")

  /// The store in a directory.
  public init(directory: String) { path = directory + "/draft.txt" }

  /// The text of the last save, nil before the first.
  public func load() -> String? {
    guard let found = try? Lifetrace.restore(draft, from: path) else { return nil }
    return String(decoding: found.bytes, as: UTF8.self)
  }

  /// Puts the text on disk, which is asked for when its version is known: the user may be typing.
  ///
  /// Answers what was saved; nil when that failed, and the trace says why.
  public func save(_ text: () -> String) -> String? {
    var saved = ""
    do {
      try Lifetrace.save(draft, to: path) {
        saved = text()
        return saved.utf8
      }
      return saved
    } catch {
      return nil
    }
  }
}
