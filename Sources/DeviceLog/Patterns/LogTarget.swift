// SPDX-License-Identifier: Apache-2.0

/// The process that a line of runningboardd or SpringBoard is about.
///
///     [app<com.example.notes(EEC5E5EC-…)>:36996]
///     application<com.example.notes>
///     [xpcservice<com.example.share([app<com.example.host>:4483])>{vt hash: 1}[uuid:F7…]:4484:4484]
struct LogTarget {
  enum Role: UInt8 {
    case app, `extension`, daemon
    /// Only the name of its executable is known.
    case executable
  }

  var role = Role.app
  /// The bundle or service id as written, without instance and host.
  var id: LogText
  /// 0 where it is not said.
  var pid: UInt32 = 0
  /// What stands behind it.
  var rest: LogText
}

extension LogTarget {
  /// The longest id that is believed.
  static let idBytesMax = 256

  /// Reads a target at the start of `text`; nil when there is none.
  init?(_ text: LogText) {
    let bracket = text.count > 0 && text[0] == 0x5B
    let word = bracket ? text.dropFirst(1) : text
    guard let open = word.prefix(16).find(byte: 0x3C), let role = Self.role(word.prefix(open))
    else {
      return nil
    }
    let inner = word.dropFirst(open + 1)
    var depth = 1
    var end = 0
    let limit = min(inner.count, 1_024)
    var idLength = -1
    while end < limit {
      switch inner[end] {
      case 0x3C: depth += 1
      case 0x3E: depth -= 1
      case 0x28 where idLength < 0: idLength = end
      default: break
      }
      if depth == 0 { break }
      end += 1
    }
    guard depth == 0, end < limit else { return nil }
    if idLength < 0 { idLength = end }
    guard idLength > 0, idLength <= Self.idBytesMax else { return nil }
    self.role = role
    id = Self.plain(inner.prefix(idLength))
    rest = inner.dropFirst(end + 1)
    skipGroups()
    if rest.count > 1, rest[0] == 0x3A, let number = rest.dropFirst(1).pid {
      pid = number
      // A process is sometimes named with its pid twice.
      var at = 1
      while at < rest.count, rest[at] &- 0x30 < 10 || rest[at] == 0x3A && digit(at + 1) { at += 1 }
      rest = rest.dropFirst(at)
    }
    if bracket, rest.count > 0, rest[0] == 0x5D { rest = rest.dropFirst(1) }
  }

  private func digit(_ at: Int) -> Bool { at < rest.count && rest[at] &- 0x30 < 10 }

  /// Skips `{vt hash: 1}[uuid:…]`, and the `(501)` of a Mac's user.
  private mutating func skipGroups() {
    while rest.count > 1, rest[0] == 0x7B || rest[0] == 0x5B && rest[1] != 0x5D || rest[0] == 0x28 {
      let closing: UInt8 = rest[0] == 0x7B ? 0x7D : rest[0] == 0x28 ? 0x29 : 0x5D
      guard let close = rest.prefix(128).find(byte: closing) else { return }
      rest = rest.dropFirst(close + 1)
    }
  }

  private static func role(_ word: LogText) -> Role? {
    if word.equals("app") || word.equals("application") { return .app }
    if word.equals("xpcservice") || word.equals("angel") || word.equals("dext") {
      return .extension
    }
    if word.equals("daemon") || word.equals("osservice") { return .daemon }
    if word.equals("anon") { return .executable }
    return nil
  }

  /// `application.com.example.notes.1906.1907` on a Mac is `com.example.notes`, with the id of an
  /// instance behind it too.
  private static func plain(_ id: LogText) -> LogText {
    guard var plain = id.behind("application.") else { return withoutInstance(id) }
    plain = withoutInstance(plain)
    for _ in 0..<2 {
      var end = plain.count
      while end > 0, plain[end - 1] &- 0x30 < 10 { end -= 1 }
      guard end > 1, end < plain.count, plain[end - 1] == 0x2E else { break }
      plain = plain.prefix(end - 1)
    }
    return plain
  }

  /// Without `.735E6807-EEDD-4C1B-9A02-0123456789AB`.
  private static func withoutInstance(_ id: LogText) -> LogText {
    let begin = id.count - 37
    guard begin > 0, id[begin] == 0x2E, id[begin + 9] == 0x2D, id[begin + 14] == 0x2D,
      id[begin + 19] == 0x2D, id[begin + 24] == 0x2D
    else { return id }
    return id.prefix(begin)
  }
}
