// SPDX-License-Identifier: Apache-2.0

/// A piece of an expression, and where it stands.
struct Token: Hashable {
  /// What it is.
  enum Kind: Hashable {
    /// A word: `object`, `and`; the parser decides what it means.
    case word(String)
    /// A number with its unit, as it is written: `12`, `0x1f`, `500ms`, `1kB`.
    case number(String)
    /// A text in double quotes, without them.
    case string(String)
    /// A pattern in backquotes, without them.
    case glob(String)
    /// An operator, a bracket, a comma or a period.
    case sign(String)
    case end
  }

  var kind: Kind
  /// Offsets of its characters.
  var range: Range<Int>

  /// It as an error names it.
  func text(in source: [Character]) -> String {
    kind == .end ? "the end" : String(source[range])
  }
}
