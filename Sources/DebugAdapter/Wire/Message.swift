// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJSON

/// A request of the client: `{"seq":7,"type":"request","command":"next","arguments":{"threadId":1}}`.
package struct Request: Sendable {
  /// The number that the client gave it; its response names it.
  package let seq: Int64
  /// What is asked for.
  package let command: String
  /// The arguments; an object without members where there are none.
  package let arguments: Arguments

  /// Reads a message; nil for one that is no request.
  package init?(_ message: JSON) {
    guard message["type"]?.string == "request", let command = message["command"]?.string,
      let seq = message["seq"]?.int
    else { return nil }
    (self.seq, self.command) = (seq, command)
    arguments = Arguments(message["arguments"] ?? .object([]))
  }
}

/// The arguments of a request, which may hold anything.
package struct Arguments: Sendable {
  private let json: JSON

  init(_ json: JSON) { self.json = json }

  /// A text; nil for one that is missing, and for an empty one.
  func text(_ key: String) -> String? {
    guard let text = json[key]?.string, !text.isEmpty else { return nil }
    return text
  }

  func flag(_ key: String) -> Bool { json[key]?.bool ?? false }

  /// Whether it is said to be false.
  func isFalse(_ key: String) -> Bool { json[key]?.bool == false }

  /// A number that an array can have.
  func number(_ key: String) -> Int? { json[key]?.int.flatMap { Int(exactly: $0) } }

  func object(_ key: String) -> Arguments { Arguments(json[key] ?? .null) }

  func objects(_ key: String) -> [Arguments] { (json[key]?.array ?? []).map(Arguments.init) }

  func texts(_ key: String) -> [String] { (json[key]?.array ?? []).compactMap(\.string) }
}

/// Why a request cannot be answered: what is wrong, and what would have done.
package struct Refusal: Error, Sendable {
  /// For the user, a sentence.
  package let message: String

  /// A refusal in these words.
  package init(_ message: String) { self.message = message }
}
