// SPDX-License-Identifier: Apache-2.0

// Which of an event's 64-bit words are names: the one place that says so for whole events. Columns
// and pools ask for all rows of a kind at once and keep the answer.

extension KindInfo {
  /// Whether the identity of such events is a ``NameID``.
  public var isNameIdentity: Bool { identity?.type == .name }

  /// The type of an argument: the kind's own fields come first, then the labels of the site.
  public func type(ofArgument index: Int, labels: [Field]) -> FieldType? {
    if index < fields.count { return fields[index].type }
    return index - fields.count < labels.count ? labels[index - fields.count].type : nil
  }
}

extension Event {
  /// Calls `body` with the word of each name among identity and arguments; `info` is of its kind.
  public func eachName(_ info: KindInfo, labels: [Field], _ body: (UInt64) -> Void) {
    if info.isNameIdentity { body(identity) }
    for index in 0..<min(Int(argumentCount), Event.argumentsMax)
    where info.type(ofArgument: index, labels: labels) == .name {
      body(self[index])
    }
  }

  /// Puts another name for each name among identity and arguments.
  public mutating func mapNames(
    _ info: KindInfo,
    labels: [Field],
    _ change: (UInt64) -> NameID
  ) {
    if info.isNameIdentity { identity = change(identity).word }
    for index in 0..<min(Int(argumentCount), Event.argumentsMax)
    where info.type(ofArgument: index, labels: labels) == .name {
      self[index] = change(self[index]).word
    }
  }

  /// Every name it mentions: its site's, and those among its identity and arguments.
  public func nameIDs(in names: borrowing Names) -> [NameID] {
    let site = names[site]
    var found = [site.name, site.file].filter { $0 != .empty }
    if let info = names.info(of: kind) {
      eachName(info, labels: site.labels) {
        found.append(NameID(word: $0))
      }
    }
    return found
  }
}

extension Field {
  /// The labels of a site as an app writes them: `size:bytes,user:name`; no type is a number.
  public static func list(_ text: String) -> [Field] {
    guard !text.isEmpty else { return [] }
    return text.split(separator: ",").prefix(Event.argumentsMax).map { part in
      let words = part.split(separator: ":", maxSplits: 1)
      let type = words.count > 1 ? typeOfWord[String(words[1])] : nil
      return Field(words.first.map(String.init) ?? "", type ?? .int)
    }
  }

  private static let typeOfWord: [String: FieldType] = Dictionary(
    uniqueKeysWithValues: FieldType.allCases.map { ("\($0)", $0) }
  )
}
