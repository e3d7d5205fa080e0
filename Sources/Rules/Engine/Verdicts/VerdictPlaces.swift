// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// Where a rule was broken, or could not be decided: the known facts of every verdict.
package struct VerdictPlace: Sendable {
  /// The event at which it became so.
  package var sequence: UInt64
  /// The stream it is about.
  package var stream: StreamID
  /// What it is about, a data object for instance; empty where the rule names nothing.
  package var object: NameID
  /// The index of the rule in the table.
  package var rule: UInt8
  /// How bad it is here.
  package var severity: Severity
  /// Broken, or else undecidable.
  package var isViolation: Bool
}

/// The places of all verdicts, in the order in which they were given; asked for by the debugger.
///
///     checker.collectPlaces()
///     …
///     for place in checker.takePlaces() { … }     // those given since the last time
struct VerdictPlaces: Sendable {
  private(set) var fresh: [PlacedVerdict] = []

  mutating func add(_ place: VerdictPlace, kept: (app: Int, index: Int)?) {
    fresh.append(
      PlacedVerdict(
        place: place,
        kept: kept.map {
          VerdictKey(app: $0.app, rule: Int(place.rule), index: $0.index)
        }
      )
    )
  }

  mutating func take() -> [PlacedVerdict] {
    let taken = fresh
    fresh = []
    return taken
  }
}

/// A verdict's place, and where its words are, if they were kept.
package struct PlacedVerdict: Sendable {
  /// The place of the verdict's event.
  package var place: VerdictPlace
  /// Nil for one that is only counted.
  package var kept: VerdictKey?
}

/// Where a checker keeps a verdict: what it says may still be added to.
package struct VerdictKey: Hashable, Sendable {
  fileprivate var app: Int
  fileprivate var rule: Int
  fileprivate var index: Int

  fileprivate init(app: Int, rule: Int, index: Int) {
    (self.app, self.rule, self.index) = (app, rule, index)
  }
}

extension Tallies {
  subscript(key: VerdictKey) -> Verdict { apps[key.app].tallies[key.rule].kept[key.index] }
}

extension Verdict {
  /// What is left of one whose events could be read when it was given, and cannot any more.
  package static func unreadable(
    _ info: RuleInfo,
    _ severity: Severity,
    of stream: StreamID,
    _ sequence: UInt64
  ) -> Verdict {
    Verdict(
      rule: info.id,
      severity: severity,
      outcome: .violated,
      stream: stream,
      app: "",
      incarnation: 0,
      sequence: sequence,
      time: HostTime(rawValue: 0),
      witnesses: [],
      title: "\(info.id) was broken here, by events that can be read no more",
      details: [],
      advice: Sentence(info.fix),
      occasions: 1
    )
  }
}

/// How often something was found, by severity.
package struct Grades: Sendable {
  private var infos = 0
  private var warnings = 0
  private var errors = 0

  package subscript(severity: Severity) -> Int {
    get {
      switch severity {
      case .info: infos
      case .warning: warnings
      case .error: errors
      }
    }
    set {
      switch severity {
      case .info: infos = newValue
      case .warning: warnings = newValue
      case .error: errors = newValue
      }
    }
  }

  mutating func add(_ later: Grades) {
    for severity in Severity.allCases { self[severity] += later[severity] }
  }

  /// The number of verdicts of all severities.
  package var total: Int { infos + warnings + errors }
}
