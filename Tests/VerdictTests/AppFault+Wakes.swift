// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

extension AppFault {
  static let wakes: [AppFault] = [
    AppFault(
      rule: "DL09",
      others: ["DL12": "of a call", "DL13": "of an accessory"],
      words: "no answer to a wake",
      moment: .wake,
      completion: .never
    ),
    AppFault(rule: "DL10", words: "two answers to a wake", moment: .wake, completion: .twice),
    AppFault(
      rule: "DL12",
      words: "a call that is not reported",
      moment: .wake,
      wake: .voip,
      reportsCalls: false
    ),
    AppFault(
      rule: "DL13",
      others: ["DL09": "past the system's patience too"],
      words: "a day of values for one accessory",
      moment: .wake,
      completion: .late(seconds: 15),
      wake: .bluetooth
    ),
    AppFault(
      rule: "BT12",
      words: "woken for what it does not declare",
      moment: .wake,
      modes: []
    ),
  ]
}
