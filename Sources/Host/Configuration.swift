// SPDX-License-Identifier: Apache-2.0
public import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace

/// What a project's `lifetrace.yml` says: whose deadlines hold, what is not judged, what is not recorded.
///
///     let configuration = try Configuration(contentsOf: "lifetrace.yml")
///     let checker = Checker(profile: configuration.profile ?? .standard)
public struct Configuration: Sendable {
  /// A rule that does not fit the app.
  public struct SwitchedOff: Sendable, Hashable {
    /// The rule's id.
    public var rule: String
    /// Why, for whoever reads the verdicts.
    public var reason: String
  }

  /// The file that is read from the current directory.
  public static let fileName = "lifetrace.yml"

  /// The generation of the system, nil where the recording's own counts.
  public private(set) var profile: Profile?
  /// Rules that are not judged, in order.
  public private(set) var off: [SwitchedOff] = []
  /// Patterns of strings that must not reach a recording.
  public private(set) var redactions: [String] = []
  private var thresholds: [YAMLNode.Pair] = []

  private static let keys = ["profile", "thresholds", "off", "redact"]

  /// Reads and checks the file at `path`.
  public init(contentsOf path: String) throws {
    try self.init(parsing: Scenario.text(of: path))
  }

  /// The configuration that `text` describes; an empty one says nothing.
  public init(parsing text: String) throws(ScenarioProblem) {
    guard let root = try YAMLNode.parse(text) else { return }
    guard let pairs = root.mapping else {
      throw root.problem("a configuration is a mapping: " + Self.keys.joined(separator: ", "))
    }
    for pair in pairs {
      switch pair.key.scalar {
      case "profile":
        profile = Profile.named(try pair.value.choice(Scenario.profiles, for: "profile"))
      case "thresholds": thresholds = try pair.value.pairs(for: "thresholds")
      case "off": try readOff(pair.value)
      case "redact": try readRedactions(pair.value)
      default: throw pair.key.unknown("key", among: Self.keys)
      }
    }
    if let first = thresholds.first, profile == nil {
      throw first.key.problem(
        "thresholds are given over those of a profile, and none is named",
        advice: "profile: ios13"
      )
    }
    if let named = profile { profile = try adjusted(named) }
  }

  /// The thresholds of the file over those of a profile.
  public func adjusted(_ profile: Profile) throws(ScenarioProblem) -> Profile {
    var out = profile
    for pair in thresholds {
      guard let path = Self.limits.first(where: { $0.name == pair.key.scalar })?.path else {
        throw pair.key.unknown("threshold", among: Self.limits.map(\.name))
      }
      out[keyPath: path] = try Self.limit(pair.value, over: out[keyPath: path])
    }
    return out
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

  private mutating func readOff(_ node: YAMLNode) throws(ScenarioProblem) {
    for pair in try node.pairs(for: "off") {
      let rule = try pair.key.text(for: "off")
      guard RuleTable.info(rule) != nil else { throw pair.key.unknownRule(rule) }
      let reason = try pair.value.text(for: rule)
      guard !reason.isEmpty else {
        throw pair.key.problem(
          "`\(rule)` is switched off without a reason",
          advice: "\(rule): why it does not fit this app"
        )
      }
      off.append(SwitchedOff(rule: rule, reason: reason))
    }
  }

  private mutating func readRedactions(_ node: YAMLNode) throws(ScenarioProblem) {
    if node.scalar == "" { return }
    guard let patterns = node.sequence else {
      throw node.problem("`redact` is a list of patterns")
    }
    for pattern in patterns {
      let text = try pattern.text(for: "redact")
      do throws(RedactionError) { _ = try Redaction(text) } catch {
        throw pattern.problem(error.description)
      }
      redactions.append(text)
    }
  }

  private typealias LimitPath = WritableKeyPath<Profile, Profile.Limit> & Sendable

  private static let limits: [(name: String, path: any LimitPath)] = [
    ("launch", \.launch), ("enter-background", \.enterBackground), ("transition", \.transition),
    ("terminate", \.terminate), ("background-task", \.backgroundTask), ("task-age", \.taskAge),
    ("wake-handler", \.wakeHandler), ("processing-task", \.processingTask),
    ("bluetooth-wake", \.bluetoothWake), ("voip-report", \.voipReport),
    ("expiration-handler", \.expirationHandler), ("protected-files", \.protectedFiles),
    ("wake-notifications", \.wakeNotifications), ("main-file", \.mainFile),
    ("main-compute", \.mainCompute), ("checkpoint", \.checkpoint),
    ("stuck-inactive", \.stuckInactive),
  ]
}

extension YAMLNode {
  /// The pairs of a mapping; an empty value is an empty mapping.
  fileprivate func pairs(for key: String) throws(ScenarioProblem) -> [Pair] {
    if scalar == "" { return [] }
    guard let pairs = mapping else { throw problem("`\(key)` is a mapping") }
    return pairs
  }

  fileprivate func seconds() throws(ScenarioProblem) -> Double {
    guard let value = scalar.flatMap(Double.init), value > 0, value <= 1e6 else {
      throw problem("a threshold is a number of seconds, above 0 and up to a million")
    }
    return value
  }
}
