// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A pattern of strings that must not reach the file.
///
///     try Redaction("/[0-9]{16}/")     // extended regular expression: what matches is replaced
///     try Redaction("*@example.com")   // glob: the whole string is replaced
///
/// Each string that matches becomes `[redacted 1]`, `[redacted 2]` …: objects
/// stay distinct, so that the rules still find what was lost.
public struct Redaction: Hashable, Sendable {
  /// As the user wrote it.
  public let pattern: String

  /// Checks the pattern.
  public init(_ pattern: String) throws(RecorderError) {
    self.pattern = pattern
    if let expression {
      var compiled = regex_t()
      let code = regcomp(&compiled, expression, REG_EXTENDED)
      guard code == 0 else {
        var text = [CChar](repeating: 0, count: 256)
        regerror(code, &compiled, &text, text.count)
        let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        throw .badPattern(pattern, why: String(decoding: words, as: UTF8.self))
      }
      regfree(&compiled)
    }
  }

  /// The regular expression between the slashes, nil for a glob.
  var expression: String? {
    guard pattern.count >= 2, pattern.hasPrefix("/"), pattern.hasSuffix("/") else { return nil }
    return String(pattern.dropFirst().dropLast())
  }
}

/// Applies redactions to the strings of a recording; used by the recorder's thread alone.
final class Redactor {
  private var compiled: [regex_t] = []
  private var globs: [String] = []
  private var numbers: [String: Int] = [:]
  private static var numbersMax: Int { 100_000 }

  init(_ redactions: [Redaction]) {
    for redaction in redactions {
      guard let expression = redaction.expression else {
        globs.append(redaction.pattern)
        continue
      }
      var regex = regex_t()
      // Checked by Redaction.init: cannot fail here.
      if regcomp(&regex, expression, REG_EXTENDED) == 0 { compiled.append(regex) }
    }
  }

  deinit {
    for index in compiled.indices { regfree(&compiled[index]) }
  }

  var isIdle: Bool { compiled.isEmpty && globs.isEmpty }

  /// The string as it may be written.
  func callAsFunction(_ string: String) -> String {
    if isIdle { return string }
    if globs.contains(where: { fnmatch($0, string, 0) == 0 }) { return substitute(string) }
    var text = string
    for index in compiled.indices { text = replace(&compiled[index], in: text) }
    return text
  }

  private func replace(_ regex: inout regex_t, in string: String) -> String {
    var rest = Array(string.utf8.map { CChar(bitPattern: $0) })
    rest.append(0)
    var result: [UInt8] = []
    var start = 0
    var match = regmatch_t()
    while start < rest.count - 1 {
      let flags: Int32 = start == 0 ? 0 : REG_NOTBOL
      let found = rest.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { regexec(&regex, $0 + start, 1, &match, flags) } == 0
      }
      let from = start + Int(match.rm_so)
      let to = start + Int(match.rm_eo)
      guard found, to > from else { break }
      result.append(contentsOf: rest[start..<from].map { UInt8(bitPattern: $0) })
      let secret = String(decoding: rest[from..<to].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      result.append(contentsOf: substitute(secret).utf8)
      start = to
    }
    if start == 0 { return string }
    result.append(contentsOf: rest[start..<(rest.count - 1)].map { UInt8(bitPattern: $0) })
    return String(decoding: result, as: UTF8.self)
  }

  private func substitute(_ secret: String) -> String {
    if let number = numbers[secret] { return "[redacted \(number)]" }
    guard numbers.count < Self.numbersMax else { return "[redacted]" }
    let number = numbers.count + 1
    numbers[secret] = number
    return "[redacted \(number)]"
  }
}
