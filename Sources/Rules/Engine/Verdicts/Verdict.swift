// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace
public import LifetraceWords

/// How bad it is when a rule is broken.
public enum Severity: String, Comparable, CaseIterable, Sendable {
  case info
  case warning
  /// Data loss, a kill, or a trace that cannot be.
  case error

  /// Whether the left severity is the lesser one.
  public static func < (left: Severity, right: Severity) -> Bool {
    allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
  }
}

/// An event that a verdict points to.
public struct Witness: Sendable, Hashable {
  /// The label of what merely stood open then: it is told, and nobody says that it was to blame.
  package static let open = "open"

  /// Its part in the story: `edit`, `suspended`, `save began`.
  public var label: String
  /// The stream of the event.
  public var stream: StreamID
  /// The event's number in its stream.
  public var sequence: UInt64
  /// The event's time on the clock of the host.
  public var time: HostTime
  /// Where in the source; nil for unknown.
  public var source: SourcePlace?

  /// A witness with those values.
  public init(
    label: String,
    stream: StreamID,
    sequence: UInt64,
    time: HostTime,
    source: SourcePlace? = nil
  ) {
    self.label = label
    self.stream = stream
    self.sequence = sequence
    self.time = time
    self.source = source
  }
}

/// What a rule says about one occasion, or about a whole app life.
public struct Verdict: Sendable, Hashable {
  /// The id of the rule, such as `DS01`.
  public var rule: String
  /// How bad it is here; some rules have two grades.
  public var severity: Severity
  /// The outcome of the judgement.
  public var outcome: Outcome
  /// The stream it is about.
  public var stream: StreamID
  /// The id of the app.
  public var app: String
  /// Which incarnation of the app, from 1.
  public var incarnation: Int
  /// The event at which it became so.
  public var sequence: UInt64
  /// The time of the occasion, on the clock of the host.
  public var time: HostTime
  /// The events that show it, in order of time.
  public var witnesses: [Witness]
  /// One sentence, without a period; it begins small, unless with a name.
  public var title: Sentence
  /// The story, a whole sentence each.
  public var details: [Sentence]
  /// What to do about it.
  public var advice: Sentence
  /// On how many occasions, for one that sums up.
  public var occasions: Int

  /// A verdict with those values.
  package init(
    rule: String,
    severity: Severity,
    outcome: Outcome,
    stream: StreamID,
    app: String,
    incarnation: Int,
    sequence: UInt64,
    time: HostTime,
    witnesses: [Witness],
    title: Sentence,
    details: [Sentence],
    advice: Sentence,
    occasions: Int
  ) {
    (self.rule, self.severity, self.outcome) = (rule, severity, outcome)
    (self.stream, self.app, self.incarnation) = (stream, app, incarnation)
    (self.sequence, self.time, self.witnesses) = (sequence, time, witnesses)
    (self.title, self.details, self.advice) = (title, details, advice)
    self.occasions = occasions
  }

  /// What a rule can say.
  public enum Outcome: Sendable, Hashable {
    /// The rule was broken.
    case violated
    /// There was occasion to break it, and it was kept.
    case held
    /// The evidence does not suffice; the reason says what is missing, and by how much.
    case undecidable(Sentence)
    /// There never was an occasion.
    case vacuous

    /// One word: `violated`, `held`, `undecidable`, `vacuous`.
    public var word: String {
      switch self {
      case .violated: "violated"
      case .held: "held"
      case .undecidable: "undecidable"
      case .vacuous: "vacuous"
      }
    }
  }
}

extension Verdict {
  /// The witness whose line people are sent to; nil where none has a line.
  ///
  /// It is the save that has put the wrong bytes there, where the rule is about that; else the edit that is
  /// lost, or the first that has a line.
  package var site: Witness? {
    let labels = rule == "DS12" ? ["written over", "saved", "edit"] : ["edit"]
    let sites = witnesses.filter { $0.source != nil }
    for label in labels {
      if let site = sites.first(where: { $0.label == label }) { return site }
    }
    return sites.first
  }
}

extension Verdict: CustomStringConvertible, CustomDebugStringConvertible {
  /// What a failed expectation prints: `DS02 error: draft.txt lost version 1 …`, and what to do.
  public var description: String {
    let lines: [Sentence] =
      ["\(rule) \(severity.rawValue): \(title)."] + details + ["Fix: \(advice)"]
    return lines.map(\.description).joined(separator: "\n  ")
  }

  /// The same, for lists of verdicts.
  public var debugDescription: String { description }
}
