// SPDX-License-Identifier: Apache-2.0

/// Text from a recording, made safe for a terminal: it may come from a hostile file.
public enum Printable {
  /// Longer text is cut.
  public static let charactersMax = 1_000

  /// One line without control characters, at most ``charactersMax`` long.
  public static func line(_ text: String) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == charactersMax { return result + "…" }
      count += 1
      if isPlain(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result.append(scalar == "\n" || scalar == "\t" ? " " : "�")
      }
    }
    return result
  }

  /// Whether a terminal only draws it: no control, no change of direction, nothing invisible.
  public static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
    default: true
    }
  }
}
