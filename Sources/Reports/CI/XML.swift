// SPDX-License-Identifier: Apache-2.0

/// Text in XML 1.0; names come from the recording, which may be hostile.
enum XML {
  /// Between tags.
  static func text(_ text: String) -> String { escaped(text, "\n\t") }

  /// Within double quotes: line breaks would become blanks there.
  static func attribute(_ text: String) -> String { escaped(text, "") }

  /// An element with attributes, whose values are escaped here, and content, which was before.
  static func element(
    _ name: String,
    _ attributes: [(String, String)] = [],
    _ content: String? = nil
  ) -> String {
    let words = attributes.map { " \($0)=\"\(attribute($1))\"" }.joined()
    return content.map { "<\(name)\(words)>\($0)</\(name)>" } ?? "<\(name)\(words)/>"
  }

  private static func escaped(_ text: String, _ controls: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "&": out += "&amp;"
      case "\"": out += "&quot;"
      case "\n", "\t", "\r":
        if controls.unicodeScalars.contains(scalar) {
          out.unicodeScalars.append(scalar)
        } else {
          out += "&#\(scalar.value);"
        }
      case " "..."\u{7e}", "\u{85}", "\u{a0}"..."\u{fffd}", "\u{10000}"...:
        out.unicodeScalars.append(scalar)
      // Even escaped, these are no characters of XML.
      default: out += "\u{fffd}"
      }
    }
    return out
  }
}
