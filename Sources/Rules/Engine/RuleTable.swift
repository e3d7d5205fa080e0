// SPDX-License-Identifier: Apache-2.0

/// Every rule there is: a new one is a struct in the file of its family and a line here.
public enum RuleTable {
  static let rules: [any Rule.Type] = [
    // Deadlines.
    DL01.self, DL02.self, DL03.self, DL05.self, DL06.self, DL09.self, DL11.self,
    DL14.self,
    // Transitions and the order of callbacks.
    ST01.self, ST02.self, ST03.self, ST06.self, ST07.self, ST12.self,
    // Data safety.
    DS01.self, DS02.self, DS03.self,
    // The main thread.
    MT01.self, MT02.self, MT03.self, MT04.self,
    // Background tasks.
    BT01.self, BT02.self, BT05.self, BT07.self,
    // Queued notifications.
    NQ01.self, NQ06.self,
    // Resources.
    RS06.self,
    // The system; last, so that the others have named the reason of a kill before.
    SY01.self, SY02.self,
  ]

  /// What is said of each.
  public static var infos: [RuleInfo] { rules.map { $0.info } }

  /// What is said of the rule of that id, or nil.
  public static func info(_ id: String) -> RuleInfo? { infos.first { $0.id == id } }
}
