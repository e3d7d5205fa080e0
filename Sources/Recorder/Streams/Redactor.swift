// SPDX-License-Identifier: Apache-2.0

package import LifetracePlatform
import LifetraceTrace

/// Applies redactions to the strings of a recording; used by one thread, of a recording the recorder's.
///
/// Each secret has a number. The numbers are kept in the session's directory, beside the pools that
/// hold the secrets anyway, so that a recorder that adopts the session gives the same ones.
package final class Redactor {
  private var compiled: [regex_t] = []
  private var globs: [String] = []
  private var numbers: [String: Int] = [:]
  private let keep: (String) -> Void

  private static var numbersMax: Int { 100_000 }
  /// A string with more matches is a secret as a whole.
  private static var matchesMax: Int { 64 }

  /// `known` are the secrets that have numbers already, `keep` is called with each new one.
  package init(
    _ redactions: [Redaction],
    known: [String] = [],
    keep: @escaping (String) -> Void = { _ in }
  ) {
    self.keep = keep
    for secret in known where numbers[secret] == nil { numbers[secret] = numbers.count + 1 }
    for redaction in redactions {
      guard let expression = redaction.expression else {
        globs.append(Self.anywhere(redaction.pattern))
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
  ///
  /// A string that was cut before it came here lacks its end: a secret may stand across the cut,
  /// where no pattern finds it. How much of the string belongs to a secret cannot be known, so
  /// nothing of it is written.
  package func callAsFunction(_ string: String, isCut: Bool = false) -> String {
    if isIdle { return string }
    if isCut { return substitute(string, word: "cut text redacted") }
    var bytes = Array(string.utf8)
    // A zero would end the string for the system's functions: nothing hides behind it.
    for index in bytes.indices where bytes[index] == 0 { bytes[index] = 0x20 }
    bytes.append(0)
    let isSecret = bytes.withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
      return globs.contains { fnmatch($0, text, 0) == 0 }
    }
    if isSecret { return substitute(string) }
    var text = string
    for index in compiled.indices {
      guard let replaced = replace(&compiled[index], in: text) else { return substitute(string) }
      text = replaced
    }
    return text
  }

  /// The glob that matches where `glob` matches a part: a secret is seldom a string of its own.
  private static func anywhere(_ glob: String) -> String {
    // A backslash at the end quotes nothing; it must not quote the star behind it.
    let isOpen = glob.reversed().prefix { $0 == "\\" }.count % 2 == 1
    return "*" + glob + (isOpen ? "\\" : "") + "*"
  }

  /// Nil when it matches too often to be replaced piece by piece.
  private func replace(_ regex: inout regex_t, in string: String) -> String? {
    let text = Array(string.utf8)
    var result: [UInt8] = []
    var start = 0
    var count = 0
    while start < text.count, let found = match(&regex, text, from: start) {
      count += 1
      guard count <= Self.matchesMax else { return nil }
      result += text[start..<found.lowerBound]
      result += substitute(String(decoding: text[found], as: UTF8.self)).utf8
      start = found.upperBound
    }
    if start == 0 { return string }
    result += text[start...]
    return String(decoding: result, as: UTF8.self)
  }

  /// The first match that is not empty.
  private func match(_ regex: inout regex_t, _ text: [UInt8], from start: Int) -> Range<Int>? {
    var from = start
    while from < text.count {
      var place = regmatch_t(rm_so: regoff_t(from), rm_eo: regoff_t(text.count))
      // By place and length, not up to a zero: strings may hold zeros.
      let flags = Self.startEnd | (from == 0 ? 0 : REG_NOTBOL)
      let code = text.withUnsafeBytes { bytes -> Int32 in
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
        return regexec(&regex, base, 1, &place, flags)
      }
      guard code == 0 else { return nil }
      if place.rm_eo > place.rm_so { return Int(place.rm_so)..<Int(place.rm_eo) }
      // A pattern such as [0-9]* matches nothing first: what it means may stand further on.
      from = Int(place.rm_so) + 1
    }
    return nil
  }

  /// `REG_STARTEND`, a macro that Swift does not see.
  private static var startEnd: Int32 { 1 << 2 }

  /// The string that a process's memory holds, as it may be written.
  func callAsFunction(_ text: PoolText) -> String { self(text.string, isCut: text.isCut) }

  private func substitute(_ secret: String, word: String = "redacted") -> String {
    if let number = numbers[secret] { return "[\(word) \(number)]" }
    guard numbers.count < Self.numbersMax else { return "[\(word)]" }
    let number = numbers.count + 1
    numbers[secret] = number
    keep(secret)
    return "[\(word) \(number)]"
  }
}
