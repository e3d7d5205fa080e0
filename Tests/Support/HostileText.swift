// SPDX-License-Identifier: Apache-2.0

/// Text that would do something to a terminal, or begin a line of its own.
public enum HostileText {
  /// One of each kind: escape sequences, C0, C1, DEL, line ends of every sort, changes of direction,
  /// what is not drawn.
  public static let payloads = [
    "\u{1b}]0;owned\u{7}", "\n+0s lab#1 main data.durable draft.txt version=1 level=disk",
    "\r\u{8}",
    "\u{9b}31m", "\u{90}q\u{9c}", "\u{85}\u{b}\u{c}", "\u{7f}", "\u{202a}\u{202e}\u{202c}",
    "\u{2066}\u{2069}", "\u{200e}\u{200f}\u{61c}", "\u{2028}\u{2029}", "\u{200b}\u{feff}\u{2060}",
    "\u{e0041}\u{3164}",
  ]

  /// The scalars of `text` that a terminal would not just draw; ends of lines and tabs are allowed.
  public static func dangers(in text: String) -> [String] {
    text.unicodeScalars.filter(isDanger).map { "U+" + String($0.value, radix: 16) }
  }

  private static func isDanger(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0a: false
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2069, 0xfeff,
      0x3164, 0xe0000...0xe0fff:
      true
    default: false
    }
  }
}
