// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules

extension RuleInfo {
  /// What a user wants to know about it, in lines.
  package var manual: [String] {
    [
      "\(id) \(severity)", "  \(statement)", "  Source: \(source).", "  Fix: \(fix)",
    ] + (under.map { ["  \($0.words)"] } ?? []) + [
      "  Switch it off: lifetrace check --rules -\(id) FILE, or in lifetrace.yml with a reason."
    ]
  }
}

extension RuleInfo.Under {
  /// Where it is told as a note, a sentence.
  fileprivate var words: String {
    "Told as a note under \(rules.joined(separator: ", ")), and not counted, where both are about one event "
      + "(\(sharing.sorted().joined(separator: ", ")))."
  }
}

extension OwnRule {
  /// What its pattern is, and to which apps it applies, in lines.
  package var manual: [String] {
    ["  Asks: \(statement)."] + (app.map { ["  Apps: \($0.text)."] } ?? [])
  }
}

extension RuleTable {
  /// The page of all rules, `RULES.md`, as Markdown.
  package static var markdown: String {
    var out = [
      "# The rules", "",
      "Made from the table of rules (`lifetrace rules` prints the same). A rule holds, is broken, is",
      "*undecidable* where the recording cannot tell, or does not exercise the rule. `lifetrace check --rules DS,BT01`",
      "judges some, `--rules -ST07` all but one; `lifetrace.yml` switches one off, with the reason, and has",
      "[rules of your own](../Scenario/CONFIGURATION.md#rules-of-your-own).",
    ]
    out += HeldThing.section
    for family in families {
      out += ["", "## \(family.title)"]
      for info in family.infos {
        out +=
          [
            "", "### \(info.id)", "", "\(info.statement) (\(info.severity), \(info.roles.words))",
            "",
            "- Source: \(info.source).", "- Fix: \(info.fix)",
          ] + (info.under.map { ["- \($0.words)"] } ?? [])
      }
    }
    return out.joined(separator: "\n") + "\n"
  }
}

extension RuleInfo.Roles {
  /// To which processes a rule applies, in words.
  fileprivate var words: String {
    switch self {
    case .apps: "apps"
    case .interactive: "apps and extensions"
    case .all: "every process"
    }
  }
}
