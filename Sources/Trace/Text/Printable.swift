// SPDX-License-Identifier: Apache-2.0

/// Text from elsewhere, made neutral for a terminal: from a recording, a log, a scenario, a
/// configuration, or the name of a file.
///
/// A part of a message goes through ``line(_:)``, so that it adds no line of its own; whole messages
/// go through ``text(_:)`` on their way out.
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

  /// The same of many lines: they stay lines, and none is cut.
  public static func text(_ text: String) -> String {
    if isPlain(text) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar == "\n" || scalar == "\t" || isPlain(scalar) ? scalar : "�")
    }
    return String(result)
  }

  /// Whether a terminal only draws it, on one line.
  public static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

  /// Whether a terminal only draws it: no control, no change of direction, nothing invisible.
  public static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value != 0x7f }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
    default:
      // The selectors of emoji are ignorable too, and harmless.
      !scalar.properties.isDefaultIgnorableCodePoint || (0xfe00...0xfe0f).contains(scalar.value)
    }
  }
}
