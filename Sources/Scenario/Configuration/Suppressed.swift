// SPDX-License-Identifier: Apache-2.0
import LifetraceRules

extension Configuration {
  /// A violation that the project lives with, for a reason and for a while.
  package struct Suppressed: Sendable, Hashable {
    /// The id of a rule, or the letters of a family with `*`: a glob, as the others are.
    package var rule: String?
    package var app: String?
    /// A data object, a callback or a task that the verdict names.
    package var object: String?
    /// A source file, or `FILE:LINE`.
    package var site: String?
    /// Why, for the readers of the verdicts.
    package var reason: String
    /// The last day on which it holds, `2027-01-31`; nil for ever.
    package var until: String?
    /// Where it stands in the file.
    package var line: Int

    /// Whether it holds no more on a day, `2026-11-22`.
    package func isExpired(on day: String) -> Bool { until.map { $0 < day } ?? false }
  }
}

extension Configuration.Suppressed {
  private static let keys = ["rule", "app", "object", "site", "reason", "until"]

  /// The suppression in `node`; `rules` are the project's own.
  init(_ node: YAMLNode, _ rules: [OwnRule]) throws(ScenarioProblem) {
    guard node.mapping != nil else {
      throw node.problem("a suppression is a mapping: \(Self.keys.joined(separator: ", "))")
    }
    var values: [String: String] = [:]
    for pair in try node.pairs(for: "suppress") {
      guard let key = pair.key.scalar, Self.keys.contains(key) else {
        throw pair.key.unknown("key", among: Self.keys)
      }
      let text = try pair.value.text(for: key)
      if key == "until", !Self.isDay(text) {
        throw pair.value.problem("`until` is a day, 2027-01-31")
      }
      if key == "rule", !text.contains(where: "*?[".contains), !rules.know(text) {
        throw pair.value.unknownRule(text, rules)
      }
      values[key] = text
    }
    guard let reason = values["reason"], !reason.isEmpty else {
      throw node.problem(
        "it is suppressed without a reason",
        advice: "reason: why it does not count"
      )
    }
    (rule, app, object, site) = (values["rule"], values["app"], values["object"], values["site"])
    guard rule != nil || app != nil || object != nil || site != nil else {
      throw node.problem(
        "it would suppress everything: name a rule, an app, an object or a site",
        advice: "rule: DS01"
      )
    }
    self.reason = reason
    until = values["until"]
    line = node.place.line
  }

  /// `2027-01-31`: days of this form are compared as texts.
  private static func isDay(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || 48...57 ~= $0 }),
      let month = Int(parts[1]), let day = Int(parts[2])
    else { return false }
    return 1...12 ~= month && 1...31 ~= day
  }
}
