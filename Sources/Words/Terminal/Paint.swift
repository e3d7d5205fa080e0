// SPDX-License-Identifier: Apache-2.0

/// What a piece of text is, so that a terminal can show it.
package enum Style: String, Sendable {
  case plain = ""
  case strong = "1"
  case faint = "2"
  case good = "32"
  case warning = "33"
  case bad = "1;31"
  case name = "36"
}

/// Adds the terminal's escapes, or nothing; no other file knows what they are, but ``Columns``.
package struct Paint: Sendable {
  package var isOn: Bool

  /// With escapes, or without.
  package init(isOn: Bool) { self.isOn = isOn }

  /// `text` in that style.
  package func callAsFunction(_ text: String, _ style: Style) -> String {
    let (on, off) = escapes(style)
    return text.isEmpty ? "" : on + text + off
  }

  /// What stands around a text of that style.
  package func escapes(_ style: Style) -> (on: String, off: String) {
    isOn && style != .plain ? ("\u{1b}[\(style.rawValue)m", "\u{1b}[0m") : ("", "")
  }

  /// Goes back to the begin of the line that is shown, and clears it.
  package static let clearLine = "\r\u{1b}[K"
}
