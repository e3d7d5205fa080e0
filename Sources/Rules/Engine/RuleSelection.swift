// SPDX-License-Identifier: Apache-2.0

/// Which rules to apply.
public struct RuleSelection: Sendable, Hashable {
  private var wanted: [String]?
  private var unwanted: [String]

  /// A selection of every rule.
  public static let all = RuleSelection(wanted: nil, unwanted: [])

  private init(wanted: [String]?, unwanted: [String]) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  /// The rules of a list such as `DS,BT01` (families and ids) or `-ST07` (all but).
  ///
  /// - Throws: ``RuleSelectionError`` for a word that names no rule.
  public init(_ list: String) throws(RuleSelectionError) { try self.init(list, of: .builtIn) }

  /// The same of other rules than those of the catalogue.
  package init(_ list: String, of rules: RuleSet) throws(RuleSelectionError) {
    var wanted: [String] = []
    unwanted = []
    for part in list.split(separator: ",") {
      let isMinus = part.first == "-"
      let word = (isMinus ? part.dropFirst() : part).uppercased()
      guard rules.infos.contains(where: { Self.names(word, $0.id) }) else {
        throw RuleSelectionError(
          word: String(part),
          known: rules.infos.map(\.id),
          advice: rules.advice(for: word)
        )
      }
      if isMinus { unwanted.append(word) } else { wanted.append(word) }
    }
    self.wanted = wanted.isEmpty ? nil : wanted
  }

  /// Whether the rule of that id is among them.
  public func contains(_ id: String) -> Bool {
    (wanted?.contains { Self.names($0, id) } ?? true)
      && !unwanted.contains { Self.names($0, id) }
  }

  /// Whether a word is that id, or the letters of its family: `DL1` is neither of `DL11`.
  private static func names(_ word: String, _ id: String) -> Bool {
    word == id || word == id.prefix { $0.isLetter }
  }
}

/// A word in a list of rules that names none.
public struct RuleSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The word in configurations and options.
  public var word: String
  /// The ids of the rules that there are.
  public var known: [String]
  /// What would have done.
  public var advice: String

  /// What is wrong, and what would do.
  public var description: String { "there is no rule \(word); \(advice)" }
}
