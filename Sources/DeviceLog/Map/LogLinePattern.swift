// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform
internal import LifetraceTrace

/// A line of an app's log as its author describes it: text, with names in braces for what changes.
///
///     saved {object} v{version} in {} ms
///
/// Text is found anywhere in the message, and in order. `{object}`, `{name}` and `{why}` take what
/// stands up to the text behind them, or to the end of the line; `{version}` and `{bytes}` take digits;
/// `{}` takes anything. A brace itself is written `{{`.
package struct LogLinePattern: Sendable {
  package enum Group: String, CaseIterable, Sendable {
    case object, version, bytes, name, why

    var isNumber: Bool { self == .version || self == .bytes }
  }

  enum Piece: Sendable, Equatable {
    case text([UInt8])
    case group(Group)
    case anything
  }

  /// More pieces than these no pattern has.
  static let piecesMax = 32
  /// Places that are tried in one line before it is given up.
  private static let triesMax = 64

  /// As it was written.
  package let text: String
  /// What its groups are.
  package let groups: Set<Group>
  private let pieces: [Piece]
  /// The longest text: a line without it is no hit.
  private let anchor: [UInt8]

  /// - Throws: What is wrong with it, as a sentence.
  package init(_ text: String) throws(LogLinePatternError) {
    self.text = text
    pieces = try Self.pieces(of: text)
    var groups: Set<Group> = []
    var anchor: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .text(let bytes): if bytes.count > anchor.count { anchor = bytes }
      case .group(let group):
        guard groups.insert(group).inserted else {
          throw LogLinePatternError(message: "`{\(group.rawValue)}` stands twice in the pattern")
        }
      case .anything: break
      }
    }
    guard !anchor.isEmpty else {
      throw LogLinePatternError(
        message: "a pattern needs text of the line, not only names in braces"
      )
    }
    self.groups = groups
    self.anchor = anchor
  }

  private static func pieces(of text: String) throws(LogLinePatternError) -> [Piece] {
    var pieces: [Piece] = []
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    func close(_ piece: Piece) throws(LogLinePatternError) {
      if !bytes.isEmpty { pieces.append(.text(bytes)) }
      bytes = []
      guard case .text = pieces.last ?? .text([]) else {
        throw LogLinePatternError(message: "two names in braces need text between them")
      }
      pieces.append(piece)
    }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "{") else {
        bytes.append(byte)
        continue
      }
      if rest.first == UInt8(ascii: "{") {
        bytes.append(rest.removeFirst())
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
        throw LogLinePatternError(message: "a { is not closed; the brace itself is written {{")
      }
      let word = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      if word.isEmpty {
        try close(.anything)
      } else if let group = Group(rawValue: word) {
        try close(.group(group))
      } else {
        throw LogLinePatternError(
          message: "there is no `{\(word)}`",
          advice: "there is: " + Group.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
            + ", and {} for anything"
        )
      }
    }
    if !bytes.isEmpty { pieces.append(.text(bytes)) }
    guard pieces.count <= piecesMax else {
      throw LogLinePatternError(message: "a pattern has at most \(piecesMax) pieces")
    }
    return pieces
  }
}

/// What is wrong with a pattern.
package struct LogLinePatternError: Error, Sendable {
  package var message: String
  package var advice = ""
}

// MARK: - Matching

/// What the groups of a pattern have taken of a line.
struct LogCaptures {
  var object: LogText?
  var name: LogText?
  var why: LogText?
  var version: UInt64?
  var bytes: UInt64?
}

extension LogLinePattern {
  /// What the groups take of `message`, or nil where it is no such line.
  func match(_ message: LogText) -> LogCaptures? {
    guard message.find(anchor, from: 0) != nil else { return nil }
    var captures = LogCaptures()
    var tries = 0
    guard case .text(let first) = pieces[0] else {
      return match(message, 0, at: 0, &captures, &tries) ? captures : nil
    }
    var from = 0
    while let at = message.find(first, from: from), tries < Self.triesMax {
      if match(message, 1, at: at + first.count, &captures, &tries) { return captures }
      from = at + 1
      tries += 1
    }
    return nil
  }

  /// Whether the pieces from `index` on stand at `place`.
  private func match(
    _ message: LogText,
    _ index: Int,
    at place: Int,
    _ captures: inout LogCaptures,
    _ tries: inout Int
  ) -> Bool {
    guard index < pieces.count else { return true }
    switch pieces[index] {
    case .text(let bytes):
      guard message.has(bytes, at: place) else { return false }
      return match(message, index + 1, at: place + bytes.count, &captures, &tries)
    case .group(let group) where group.isNumber:
      var end = place
      while end < message.count, message[end] &- 0x30 < 10 { end += 1 }
      guard end > place, let value = message.dropFirst(place).integer, value >= 0 else {
        return false
      }
      if group == .version {
        captures.version = UInt64(value)
      } else {
        captures.bytes = UInt64(value)
      }
      return match(message, index + 1, at: end, &captures, &tries)
    case .group, .anything:
      return matchText(message, index, at: place, &captures, &tries)
    }
  }

  /// A group of text ends at the text behind it: at the first such place from which the rest fits.
  private func matchText(
    _ message: LogText,
    _ index: Int,
    at place: Int,
    _ captures: inout LogCaptures,
    _ tries: inout Int
  ) -> Bool {
    let isEmptyAllowed = pieces[index] == .anything
    guard index + 1 < pieces.count, case .text(let next) = pieces[index + 1] else {
      let rest = message.dropFirst(place).trimmed
      guard isEmptyAllowed || !rest.isEmpty else { return false }
      keep(rest, index, &captures)
      return true
    }
    var from = isEmptyAllowed ? place : place + 1
    while tries < Self.triesMax, let end = message.find(next, from: from) {
      tries += 1
      if match(message, index + 2, at: end + next.count, &captures, &tries) {
        keep(message.prefix(end).dropFirst(place), index, &captures)
        return true
      }
      from = end + 1
    }
    return false
  }

  private func keep(_ text: LogText, _ index: Int, _ captures: inout LogCaptures) {
    guard case .group(let group) = pieces[index] else { return }
    switch group {
    case .object: captures.object = text
    case .name: captures.name = text
    case .why: captures.why = text
    case .version, .bytes: break
    }
  }
}

extension LogText {
  /// Where `bytes` first occur at `from` or behind it, or nil.
  fileprivate func find(_ bytes: [UInt8], from: Int) -> Int? {
    guard from <= count else { return nil }
    let rest = dropFirst(from)
    return bytes.withUnsafeBufferPointer { words in
      guard let hit = cplatform_find(rest.start, rest.count, words.baseAddress, words.count) else {
        return nil
      }
      return from + (UnsafeRawPointer(hit) - UnsafeRawPointer(rest.start))
    }
  }

  fileprivate func has(_ bytes: [UInt8], at place: Int) -> Bool {
    guard place + bytes.count <= count else { return false }
    for index in bytes.indices where self[place + index] != bytes[index] { return false }
    return true
  }
}
