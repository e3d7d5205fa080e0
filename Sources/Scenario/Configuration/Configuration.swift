// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
package import LifetraceLifecycle
package import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// What a project's `lifetrace.yml` says: the profile, and what is not judged or not recorded.
///
///     let configuration = try Configuration(contentsOf: "lifetrace.yml")
///     let checker = Checker(profile: configuration.profile ?? .standard)
package struct Configuration: Sendable {
  /// A rule that does not fit the app.
  package struct SwitchedOff: Sendable, Hashable {
    /// The id of the rule.
    package var rule: String
    /// Why, for the readers of the verdicts.
    package var reason: String
  }

  /// The file that is read from the current directory.
  package static let fileName = "lifetrace.yml"

  /// The generation of the system, nil where the recording's own counts.
  package private(set) var profile: Profile?
  /// Rules that are not judged, in order.
  package private(set) var off: [SwitchedOff] = []
  /// Violations that do not count, in order.
  package private(set) var suppressed: [Suppressed] = []
  /// Patterns of strings that must not reach a recording.
  package private(set) var redactions: [String] = []
  /// Globs of the files that are data objects of programs that `record --observe` observes.
  package private(set) var data: [String] = []
  /// The library that observes notes with a bit each which of them have matched.
  private static let dataGlobsMax = 64
  /// It follows no longer paths.
  private static let dataGlobBytesMax = 512
  /// Rules of the project's own, in order.
  package private(set) var rules: [OwnRule] = []
  private var thresholds: [YAMLNode.Pair] = []
  /// The file's name, as verdicts by its rules have it.
  private var file = Configuration.fileName

  /// The keys of the file, and what each says.
  static let keys: [(name: String, summary: String)] = [
    (
      "profile",
      "the generation of the system whose deadlines hold: \(Scenario.profiles.joined(separator: ", ")); "
        + "when left out, that of the recording"
    ),
    (
      "thresholds",
      "seconds, or `{warn: 5, kill: 10}`, by the names below (of memory a size, such as `50MB`; of a "
        + "share `0.8`; of a number `3`); the `profile` has to be named too"
    ),
    ("off", "rules that do not fit, each with the reason: `ST07: our harness delivers late`"),
    (
      "suppress",
      "violations that do not count: a list of `rule`, `app`, `object` and `site` (globs, at least one "
        + "of them; a site is a file or `FILE:LINE`), with a `reason`, and `until`, the last day on "
        + "which it holds: `{rule: DS01, object: \"*.cache\", reason: made anew, until: 2027-01-31}`"
    ),
    (
      "rules",
      "rules of your own, in six patterns, below ids of three letters or more: see "
        + "[Rules of your own](#rules-of-your-own)"
    ),
    (
      "redact",
      "patterns of strings that never reach a recording: `/regular expressions/`, or globs"
    ),
    (
      "data",
      "a list of globs of the files that `record --observe` keeps a ledger of: `[\"*.sqlite\", "
        + "\"drafts/**\", \"~/.local/share/shop/*.json\"]`; one without a slash is matched against names in "
        + "any folder, one that begins with `/`, `~/` or `**/` against whole paths, any other with a slash "
        + "below this directory or the app's data folder; `*` stays within a name, `**` does not"
    ),
  ]

  /// One that says nothing.
  package init() {}

  /// Reads and checks the file at `path`.
  package init(contentsOf path: String) throws {
    try self.init(parsing: Scenario.text(of: path), file: path)
  }

  /// The configuration that `text` describes; an empty one says nothing.
  ///
  /// - Throws: The first of its ``problems(in:)``.
  package init(
    parsing text: String,
    file: String = Configuration.fileName
  ) throws(ScenarioProblem) {
    self.file = file
    var problems: [ScenarioProblem] = []
    read(text, &problems)
    if let first = problems.first { throw first }
  }

  private init(_ text: String, _ problems: inout [ScenarioProblem]) { read(text, &problems) }

  /// Everything that is wrong with `text`, a problem a threshold, rule or pattern.
  package static func problems(in text: String) -> [ScenarioProblem] {
    var problems: [ScenarioProblem] = []
    _ = Configuration(text, &problems)
    return problems
  }

  /// Everything that is wrong with the file at `path`.
  package static func problems(inFile path: String) throws -> [ScenarioProblem] {
    problems(in: try Scenario.text(of: path))
  }

  private mutating func read(_ text: String, _ problems: inout [ScenarioProblem]) {
    let root: YAMLNode?
    do throws(ScenarioProblem) { root = try YAMLNode.parse(text) } catch {
      return problems.append(error)
    }
    guard let root else { return }
    guard let pairs = root.mapping else {
      return problems.append(
        root.problem(
          "a configuration is a mapping: " + Self.keys.map(\.name).joined(separator: ", ")
        )
      )
    }
    // What switches rules off may stand before those of the project.
    for pair in pairs.filter(\.isRules) + pairs.filter({ !$0.isRules }) {
      do throws(ScenarioProblem) { try read(pair, &problems) } catch { problems.append(error) }
    }
    if let first = thresholds.first, profile == nil, problems.isEmpty {
      return problems.append(
        first.key.problem(
          "`thresholds` change those of a profile, which this file has to name, whatever a recording names",
          advice: "profile: ios13"
        )
      )
    }
    var over = profile ?? .standard
    for pair in thresholds {
      do throws(ScenarioProblem) { try Self.adjust(&over, by: pair) } catch {
        problems.append(error)
      }
    }
    if profile != nil { profile = over }
    problems.sort { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
  }

  private mutating func read(_ pair: YAMLNode.Pair, _ problems: inout [ScenarioProblem])
    throws(ScenarioProblem)
  {
    switch pair.key.scalar {
    case "profile":
      profile = Profile.named(try pair.value.choice(Scenario.profiles, for: "profile"))
    case "thresholds": thresholds = try pair.value.pairs(for: "thresholds")
    case "off":
      for rule in try pair.value.pairs(for: "off") {
        do throws(ScenarioProblem) { try readOff(rule) } catch { problems.append(error) }
      }
    case "suppress":
      if pair.value.scalar == "" { return }
      guard let entries = pair.value.sequence else {
        throw pair.value.problem("`suppress` is a list of mappings")
      }
      for entry in entries {
        do throws(ScenarioProblem) { suppressed.append(try Suppressed(entry, rules)) } catch {
          problems.append(error)
        }
      }
    case "rules": try readRules(pair.value, &problems)
    case "redact":
      for pattern in try pair.value.patterns(for: "redact") {
        do throws(ScenarioProblem) { try readRedaction(pattern) } catch { problems.append(error) }
      }
    case "data":
      for glob in try pair.value.patterns(for: "data") {
        do throws(ScenarioProblem) { try readData(glob) } catch { problems.append(error) }
      }
    default: throw pair.key.unknown("key", among: Self.keys.map(\.name))
    }
  }

  /// The thresholds of the file over those of a profile.
  func adjusted(_ profile: Profile) throws(ScenarioProblem) -> Profile {
    var out = profile
    for pair in thresholds { try Self.adjust(&out, by: pair) }
    return out
  }

  private static func adjust(_ profile: inout Profile, by pair: YAMLNode.Pair)
    throws(ScenarioProblem)
  {
    guard let threshold = Threshold.all.first(where: { $0.name == pair.key.scalar }) else {
      throw pair.key.unknown("threshold", among: Threshold.all.map(\.name))
    }
    switch threshold.measure {
    case .time(let path):
      profile[keyPath: path] = try limit(pair.value, over: profile[keyPath: path])
    case .bytes(let path): profile[keyPath: path] = try pair.value.size()
    case .share(let path): profile[keyPath: path] = try pair.value.share()
    case .count(let path): profile[keyPath: path] = try pair.value.count()
    }
  }

  private static func limit(_ node: YAMLNode, over old: Profile.Limit) throws(ScenarioProblem)
    -> Profile.Limit
  {
    if node.scalar != nil { return Profile.Limit(try node.seconds()) }
    var out = old
    var givesKill = false
    for pair in try node.pairs(for: "threshold") {
      let value = Profile.Limit(try pair.value.seconds()).warn
      switch pair.key.scalar {
      case "warn": out.warn = value
      case "kill":
        out.kill = value
        givesKill = true
      default: throw pair.key.unknown("key", among: ["warn", "kill"])
      }
    }
    if out.warn > out.kill {
      guard !givesKill else { throw node.problem("`warn` comes after `kill`") }
      out.kill = out.warn
    }
    return out
  }

  private mutating func readRules(_ node: YAMLNode, _ problems: inout [ScenarioProblem])
    throws(ScenarioProblem)
  {
    let reader = OwnRuleReader(file: file)
    for pair in try node.pairs(for: "rules") {
      guard rules.count < OwnRule.rulesMax else {
        throw pair.key.problem("there are more than \(OwnRule.rulesMax) rules")
      }
      do throws(ScenarioProblem) { rules.append(try reader.rule(pair)) } catch {
        problems.append(error)
      }
    }
  }

  private mutating func readOff(_ pair: YAMLNode.Pair) throws(ScenarioProblem) {
    let rule = try pair.key.text(for: "off")
    guard rules.know(rule) else { throw pair.key.unknownRule(rule, rules) }
    let reason = try pair.value.text(for: rule)
    guard !reason.isEmpty else {
      throw pair.key.problem(
        "`\(rule)` is switched off without a reason",
        advice: "\(rule): why it does not fit this app"
      )
    }
    off.append(SwitchedOff(rule: rule, reason: reason))
  }

  private mutating func readRedaction(_ pattern: YAMLNode) throws(ScenarioProblem) {
    let text = try pattern.text(for: "redact")
    do throws(RedactionError) { _ = try Redaction(text) } catch {
      throw pattern.problem(error.description)
    }
    redactions.append(text)
  }

  private mutating func readData(_ glob: YAMLNode) throws(ScenarioProblem) {
    let text = try glob.text(for: "data")
    guard data.count < Self.dataGlobsMax, text.utf8.count < Self.dataGlobBytesMax else {
      throw glob.problem(
        "`data` has at most \(Self.dataGlobsMax) globs, each below \(Self.dataGlobBytesMax) bytes"
      )
    }
    guard !text.isEmpty, !text.contains("\n") else {
      throw glob.problem("a glob of `data` names files", advice: "data: [\"*.sqlite\"]")
    }
    guard !text.hasPrefix("./"), !text.split(separator: "/").contains("..") else {
      throw glob.problem(
        "`\(text)` is matched against names below this directory",
        advice: "leave out the dots at its beginning, or begin with `/`"
      )
    }
    data.append(text)
  }
}

extension YAMLNode.Pair {
  fileprivate var isRules: Bool { key.scalar == "rules" }
}

extension [OwnRule] {
  /// Whether an id is that of a rule, one of these or of the catalogue.
  func know(_ id: String) -> Bool { RuleTable.info(id) != nil || contains { $0.id == id } }
}

extension YAMLNode {
  /// The items of a list of patterns; an empty value is an empty list.
  fileprivate func patterns(for key: String) throws(ScenarioProblem) -> [YAMLNode] {
    if scalar == "" { return [] }
    guard let patterns = sequence else { throw problem("`\(key)` is a list of patterns") }
    return patterns
  }

  /// The pairs of a mapping; an empty value is an empty mapping.
  func pairs(for key: String) throws(ScenarioProblem) -> [Pair] {
    if scalar == "" { return [] }
    guard let pairs = mapping else { throw problem("`\(key)` is a mapping") }
    return pairs
  }

  fileprivate func size() throws(ScenarioProblem) -> UInt64 {
    guard let value = scalar.flatMap({ TypedQuantity.bytes($0) }), value > 0 else {
      throw problem("this threshold is a size, such as 50MB")
    }
    return UInt64(value)
  }

  fileprivate func share() throws(ScenarioProblem) -> Double {
    guard let value = scalar.flatMap(Double.init), value > 0, value <= 1 else {
      throw problem("this threshold is a share, above 0 and up to 1")
    }
    return value
  }

  fileprivate func count() throws(ScenarioProblem) -> Int {
    guard let value = scalar.flatMap({ Int($0) }), value > 1, value <= 1000 else {
      throw problem("this threshold is a number, from 2 to 1000")
    }
    return value
  }

  fileprivate func seconds() throws(ScenarioProblem) -> Double {
    guard let value = scalar.flatMap(Double.init), value > 0, value <= 1e6 else {
      throw problem("a threshold is a number of seconds, above 0 and up to a million")
    }
    return value
  }
}
