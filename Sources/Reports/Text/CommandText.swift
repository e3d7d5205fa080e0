// SPDX-License-Identifier: Apache-2.0

/// Parts of a command that is printed to be pasted: names come from a recording, which may be hostile.
package enum CommandText {
  /// A file as an argument of the shell.
  package static func file(_ path: String) -> String {
    // Else it would be taken for an option.
    let path = path.hasPrefix("-") ? "./" + path : path
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isPlain && !path.isEmpty ? path : single(path)
  }

  /// A text with blanks as one argument of the shell, in double quotes where these suffice.
  package static func argument(_ text: String) -> String {
    text.contains { "\"$`\\!".contains($0) } ? single(text) : "\"\(text)\""
  }

  /// A word as the prompt of `replay` takes it.
  package static func word(_ text: String) -> String {
    guard text.contains(where: { " \t\"'\\".contains($0) }) else { return text }
    let escaped = text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }
    return "\"\(escaped.joined())\""
  }

  private static func single(_ text: String) -> String {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
