// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
public import LifetraceTrace

/// What is said of a rule in listings, verdicts and reports.
public struct RuleInfo: Sendable, Hashable {
  /// Its id in the catalogue: family and number.
  public var id: String
  /// What must not happen, or must.
  public var statement: String
  /// Who says so.
  public var source: String
  /// How bad a breach is, at worst.
  public var severity: Severity
  /// What to do about a breach.
  public var fix: String
  /// To which processes it applies.
  public var roles: Roles

  /// Processes by role.
  public enum Roles: Sendable, Hashable {
    /// Apps only: it is about their life cycle.
    case apps
    /// Whatever has a main thread that people wait for.
    case interactive
    /// Any process.
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
    roles: Roles = .apps
  ) {
    self.id = id
    self.statement = statement
    self.source = source
    self.severity = severity
    self.fix = fix
    self.roles = roles
  }
}

/// A rule: a small state machine over the events of the kinds it names.
///
/// It sees the folded state as it was *before* the event, and says through the
/// context what it finds. One value lives for one stream.
protocol Rule: Sendable {
  /// What is said of it.
  static var info: RuleInfo { get }
  /// What it wants to see.
  static var attention: Attention { get }
  /// Whether work that the recording does not hold could have prevented a breach: a save, a release,
  /// the end of a task.
  static var restsOnAllWork: Bool { get }

  /// Ready for a new stream.
  init()

  /// Looks at an event of its kinds.
  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  )

  /// The recording of this stream ends here; judges what is still open.
  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names)
}

extension Rule {
  static var restsOnAllWork: Bool { false }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {}
}

/// Which events a rule sees.
enum Attention {
  /// Those of these kinds.
  case kinds([EventKind])
  /// Those of these kinds, and every event of any kind while the app is in a state.
  case kindsAndAll([EventKind], in: AppState)

  /// The kinds through which an app changes its state.
  static let stateChanges: [EventKind] = [
    .transition, .suspend, .resume, .purge, .processExit, .processStart,
  ]
  /// The kinds with which a process ends.
  static let endings: [EventKind] = [.purge, .processExit]
}

/// Which rules to apply.
public struct RuleSelection: Sendable, Hashable {
  private var wanted: [String]?
  private var unwanted: [String]

  /// Every rule.
  public static let all = RuleSelection(wanted: nil, unwanted: [])

  private init(wanted: [String]?, unwanted: [String]) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  /// The rules of a list such as `DS,BT01` (families and ids) or `-ST07` (all but).
  ///
  /// - Throws: ``RuleSelectionError`` for a word that names no rule.
  public init(_ list: String) throws(RuleSelectionError) {
    var wanted: [String] = []
    unwanted = []
    for part in list.split(separator: ",") {
      let isMinus = part.first == "-"
      let word = (isMinus ? part.dropFirst() : part).uppercased()
      guard RuleTable.infos.contains(where: { $0.id.hasPrefix(word) }) && !word.isEmpty else {
        throw RuleSelectionError(word: String(part))
      }
      if isMinus { unwanted.append(word) } else { wanted.append(word) }
    }
    self.wanted = wanted.isEmpty ? nil : wanted
  }

  /// Whether the rule of that id is among them.
  public func contains(_ id: String) -> Bool {
    (wanted?.contains { id.hasPrefix($0) } ?? true) && !unwanted.contains { id.hasPrefix($0) }
  }
}

/// A word in a list of rules that names none.
public struct RuleSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The word.
  public var word: String

  /// What is wrong, and what would do.
  public var description: String {
    "no rule is called \(word); rules are called "
      + RuleTable.infos.map(\.id).joined(separator: ", ")
  }
}

extension ProcessRole {
  /// Whether rules are about such a process: not one that was only seen, nor the device around it.
  public var isJudged: Bool { self != .bystander && self != .harness }
}
