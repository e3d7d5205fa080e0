// SPDX-License-Identifier: Apache-2.0

/// Every rule there is: a new one is a struct in the file of its family and a line here.
public enum RuleTable {
  static let rules: [any Rule.Type] = [
    // Transitions.
    ST01.self
  ]

  /// What is said of each.
  public static var infos: [RuleInfo] { rules.map { $0.info } }

  /// What is said of the rule of that id, or nil.
  public static func info(_ id: String) -> RuleInfo? { infos.first { $0.id == id } }
}
