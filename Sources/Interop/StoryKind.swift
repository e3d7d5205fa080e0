// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

// The line of a story that describes a kind which this version does not know, as its chunk did:
//
//     kind 200 alien.begin family=work ending=201 identity=who:name field=a:int field=b:bytes
//
// It stands before the first event of the kind, which is then written and read like any other.

extension KindInfo {
  /// The line that describes it; nil where its own words could not be read back.
  ///
  /// The events of such a kind are called by their number.
  var storyLine: String? {
    let words = [identity].compactMap { $0?.name } + fields.map(\.name)
    guard kind.info == nil, fields.count <= Event.argumentsMax, Set(words).count == words.count,
      KindInfo.byName[name] == nil, KindInfo.unknown(named: name) == nil,
      ([name] + words).allSatisfy(Self.isPlain), !words.contains(where: Self.isReserved)
    else { return nil }
    var parts = ["kind \(kind.rawValue) \(name) family=\(family)"]
    if let ending { parts.append("ending=\(ending.rawValue)") }
    if let identity { parts.append("identity=\(identity.name):\(identity.type)") }
    parts += fields.map { "field=\($0.name):\($0.type)" }
    return parts.joined(separator: " ")
  }

  /// What lines say of the events of a kind: nil where that could not be read back.
  static func said(_ kind: EventKind, _ names: borrowing Names) -> KindInfo? {
    kind.info ?? names.info(of: kind).flatMap { $0.storyLine == nil ? nil : $0 }
  }

  /// Whether a line of any event can say it.
  static func isReserved(_ key: String) -> Bool { reserved.contains(key) }

  private static let reserved: Set<String> = [
    "by", "site", "seq", "arg0", "arg1", "arg2", "arg3",
  ]

  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Reads the line; a mistake is reported at the token it is in.
  static func story(_ tokens: [StoryToken], _ line: Int) throws(StoryError) -> KindInfo {
    func error(_ token: StoryToken, _ message: String) -> StoryError {
      StoryError(line: line, column: token.column, message: message)
    }
    guard tokens.count > 2, tokens[1].key == nil, tokens[2].key == nil,
      let number = UInt8(tokens[1].value)
    else {
      throw error(tokens[0], "kind needs a number and a name, such as: kind 200 alien.begin")
    }
    var info = KindInfo(describing: EventKind(rawValue: number), name: tokens[2].value)
    for token in tokens.dropFirst(3) {
      switch token.key {
      case "family":
        guard let family = EventFamily.allCases.first(where: { "\($0)" == token.value }) else {
          throw error(token, "\(token.value) is no family")
        }
        info.family = family
      case "ending":
        guard let ending = UInt8(token.value) else {
          throw error(token, "\(token.value) is no number of a kind")
        }
        info.ending = EventKind(rawValue: ending)
      case "identity", "field":
        let parts = token.value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
          let type = FieldType.allCases.first(where: { "\($0)" == parts[1] })
        else {
          let types = FieldType.allCases.map { "\($0)" }.joined(separator: ", ")
          throw error(token, "\(token.value) is no NAME:TYPE; types are \(types)")
        }
        let field = Field(String(parts[0]), type)
        if token.key == "identity" { info.identity = field } else { info.fields.append(field) }
      default: throw error(token, "a kind has no \(token.key ?? token.value)")
      }
    }
    guard info.storyLine != nil || info.kind.info != nil else {
      throw error(
        tokens[2],
        "\(tokens[2].value) cannot be a kind of its own: its words are taken, or more than "
          + "\(Event.argumentsMax)"
      )
    }
    return info
  }
}
