// SPDX-License-Identifier: Apache-2.0

/// The one name of an event, `notes#1:22`: its writer, and its number among what that one has written.
///
/// All commands print it and take it. It stays what it is where the recording grows, is merged or
/// repaired; a number in the order of all events does not.
public struct EventName: Hashable, Sendable, CustomStringConvertible {
  /// The label of the writer, such as `notes#1`.
  public var writer: String
  /// The number of the event in its stream.
  public var sequence: UInt64

  /// The name of an event by its writer and number.
  public init(writer: String, sequence: UInt64) {
    self.writer = writer
    self.sequence = sequence
  }

  /// Reads a name that a user typed; nil for a text in another form.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), text[..<colon].contains("#"),
      let sequence = UInt64(text[text.index(after: colon)...])
    else { return nil }
    self.init(writer: String(text[..<colon]), sequence: sequence)
  }

  /// As it is printed.
  public var description: String { "\(writer):\(sequence)" }
}
