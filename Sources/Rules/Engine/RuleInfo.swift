// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
public import LifetraceTrace

/// What is said of a rule in listings, verdicts and reports.
public struct RuleInfo: Sendable, Hashable {
  /// Its id in the catalogue: family and number.
  public var id: String
  /// What must not happen, or must.
  public var statement: String
  /// The document that states the rule.
  public var source: String
  /// How bad a breach is, at worst.
  public var severity: Severity
  /// What to do about a breach.
  public var fix: String
  /// To which processes it applies.
  public var roles: Roles
  /// The limits of the profile that it judges by, as `lifetrace.yml` names them.
  public var thresholds: [String]
  /// Rules that say the same mistake better; nil where there are none.
  public var under: Under?

  /// Under which other rules a rule stands that says the same mistake of the same thing.
  public struct Under: Sendable, Hashable {
    /// Their ids, the one that explains most first.
    public var rules: [String]
    /// The labels of the witnesses, of either, that name the thing: it is the same where they are one event.
    public var sharing: Set<String>

    /// The rules, and what two verdicts have to share.
    public init(_ rules: [String], sharing: Set<String>) {
      (self.rules, self.sharing) = (rules, sharing)
    }
  }

  /// The processes that a rule judges, by role.
  public enum Roles: Sendable, Hashable {
    /// Apps only: it is about their life cycle.
    case apps
    /// Whatever has a main thread that people wait for.
    case interactive
    /// Every process, whatever its role.
    case all

    /// Whether a process of `role` is meant.
    public func include(_ role: ProcessRole) -> Bool {
      switch self {
      case .apps: role == .app
      case .interactive: role == .app || role == .extension
      case .all: role != .bystander
      }
    }
  }

  /// Makes the entry of a rule.
  public init(
    _ id: String,
    _ statement: String,
    source: String,
    severity: Severity,
    fix: String,
    roles: Roles = .apps,
    thresholds: [String] = [],
    under: Under? = nil
  ) {
    self.id = id
    self.statement = statement
    self.source = source
    self.severity = severity
    self.fix = fix
    self.roles = roles
    self.thresholds = thresholds
    self.under = under
  }
}

extension ProcessRole {
  /// Whether rules are about such a process: not one that was only seen, nor the device around it.
  public var isJudged: Bool { self != .bystander && self != .harness }
}
