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

/// Which words of the events of one kind are names, as bits: asked for each event of whole lives.
private struct NameWords {
  var isKnown = false
  var isIdentity = false
  /// Bit i says that argument i is one; more than eight a kind has not.
  var arguments: UInt8 = 0
  var fieldCount = 0

  init() {}

  init(_ info: KindInfo) {
    isKnown = true
    isIdentity = info.isNameIdentity
    fieldCount = info.fields.count
    for (index, field) in info.fields.enumerated() where field.type == .name {
      arguments |= 1 << index
    }
  }

  static let byRawValue = KindInfo.byRawValue.map { $0.map(NameWords.init) ?? NameWords() }
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

  /// The same for an event of a kind that this version knows; any other is left as it is.
  ///
  /// Cost: a few nanoseconds and the changes.
  package mutating func mapNames(labels: [Field], _ change: (UInt64) -> NameID) {
    let words = NameWords.byRawValue[Int(kind.rawValue)]
    if words.isIdentity { identity = change(identity).word }
    let count = min(Int(argumentCount), Event.argumentsMax)
    for index in 0..<min(count, words.fieldCount) where words.arguments & (1 << index) != 0 {
      self[index] = change(self[index]).word
    }
    guard count > words.fieldCount, words.isKnown else { return }
    for (index, label) in zip(words.fieldCount..<count, labels) where label.type == .name {
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
