// SPDX-License-Identifier: Apache-2.0
package import LifetraceScenario
internal import LifetraceTrace

/// Reading a map, with the line and the column of whatever is wrong in it.
extension LogMap {
  /// The keys of the file, and what each says.
  package static let keys: [(name: String, summary: String)] = [
    ("process", "the process whose lines are meant, as the log names it; without it, all apps'"),
    ("lines", "a list of patterns, each with its event; the first that fits a line counts"),
  ]

  /// The keys of one pattern.
  package static let lineKeys: [(name: String, summary: String)] = [
    (
      "line",
      "the text of the line, found anywhere in it, with `{object}`, `{version}`, `{bytes}`, `{name}`, "
        + "`{why}` for what changes and `{}` for the rest"
    ),
    ("event", Kind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")),
    ("object", "the object of a `data` event, where the line does not say it"),
    ("name", "the name of the work or the mark, where the line does not say it"),
    (
      "level",
      "what `data.durable` survives: `process`, `kernel` (written; the usual one), `disk` (synced), `remote`"
    ),
    ("kind", "what the work does: " + WorkKind.allCases.map { "`\($0)`" }.joined(separator: ", ")),
    ("thread", "`main`, where the work is the main thread's"),
  ]

  /// Reads and checks the file at `path`.
  ///
  /// - Throws: The first of what is wrong with it.
  package init(contentsOf path: String) throws { try self.init(parsing: Scenario.text(of: path)) }

  /// The map that `text` describes.
  package init(parsing text: String) throws(ScenarioProblem) {
    guard let root = try YAMLNode.parse(text) else {
      throw ScenarioProblem(
        place: ScenarioPlace(line: 1, column: 1),
        message: "the map is empty",
        advice: "lines: [{line: \"saved {object}\", event: data.durable}]"
      )
    }
    guard let pairs = root.mapping else {
      throw root.problem("a map is a mapping: " + Self.keys.map(\.name).joined(separator: ", "))
    }
    for pair in pairs {
      switch pair.key.scalar {
      case "process": process = try pair.value.text(for: "process")
      case "lines":
        guard let nodes = pair.value.sequence else {
          throw pair.value.problem("`lines` is a list of patterns, each with its event")
        }
        for node in nodes { rules.append(try Self.rule(node)) }
      default: throw pair.key.unknown("key", among: Self.keys.map(\.name))
      }
    }
    guard !rules.isEmpty else {
      throw root.problem("the map has no `lines`: nothing would be found")
    }
  }

  private static func rule(_ node: YAMLNode) throws(ScenarioProblem) -> Rule {
    guard let pairs = node.mapping else {
      throw node.problem("a pattern is a mapping with `line` and `event`")
    }
    func value(_ key: String) -> YAMLNode? { pairs.first { $0.key.scalar == key }?.value }
    for pair in pairs where !lineKeys.contains(where: { $0.name == pair.key.scalar }) {
      throw pair.key.unknown("key", among: lineKeys.map(\.name))
    }
    guard let line = value("line"), let event = value("event") else {
      throw node.problem("a pattern has a `line` and an `event`")
    }
    let pattern: LogLinePattern
    do throws(LogLinePatternError) {
      pattern = try LogLinePattern(try textOf(line))
    } catch {
      throw line.problem(error.message, advice: error.advice)
    }
    let word = try event.choice(Kind.allCases.map(\.rawValue), for: "event")
    guard let kind = Kind(rawValue: word) else { throw event.problem("`\(word)` is no event") }
    var rule = Rule(pattern: pattern, kind: kind, line: line.place.line)
    try readParameters(&rule, value)
    let subject = kind.isData ? LogLinePattern.Group.object : .name
    if rule.subject.isEmpty, !pattern.groups.contains(subject) {
      throw line.problem(
        "`\(word)` needs to know which: the pattern has no `{\(subject.rawValue)}`",
        advice: "or give it a key `\(subject.rawValue):`"
      )
    }
    if kind == .restored, !pattern.groups.contains(.version) {
      throw line.problem("`data.restored` needs `{version}`: which one was read is what matters")
    }
    return rule
  }

  private static func textOf(_ node: YAMLNode) throws(LogLinePatternError) -> String {
    guard let text = node.scalar else {
      throw LogLinePatternError(message: "`line` takes one value; text with braces needs quotes")
    }
    return text
  }

  private static func readParameters(
    _ rule: inout Rule,
    _ value: (String) -> YAMLNode?
  ) throws(ScenarioProblem) {
    let subject = rule.kind.isData ? "object" : "name"
    if let node = value(subject) { rule.subject = try node.text(for: subject) }
    if let node = value("level") {
      let word = try node.choice(DurabilityLevel.allCases.map { "\($0)" }, for: "level")
      rule.level = DurabilityLevel.allCases.first { "\($0)" == word } ?? .kernel
    }
    if let node = value("kind") {
      let word = try node.choice(WorkKind.allCases.map { "\($0)" }, for: "kind")
      rule.work = WorkKind.allCases.first { "\($0)" == word } ?? .other
    }
    if let node = value("thread") {
      rule.isMain = try node.choice(["main"], for: "thread") == "main"
    }
  }
}
