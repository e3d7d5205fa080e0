// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules

extension ScenarioReport {
  /// At most this many findings are named in one failure.
  private static var namedMax: Int { 5 }

  /// Judges the expectations about violations; those that do not hold join the failures.
  ///
  /// A scenario that expects no violations means errors: what loses data, gets the
  /// app killed, or cannot be. One that expects a rule to be broken takes any grade.
  package mutating func judge(_ verdicts: [Verdict], labels: [String]) {
    let broken = verdicts.filter { $0.outcome == .violated }
    for (expectation, place) in judgedLater {
      switch expectation {
      case .noViolations:
        let errors = broken.filter { $0.severity == .error }
        guard !errors.isEmpty else { continue }
        fail(place, "expected no violations, found \(Self.list(errors, labels))")
      case .violation(let rule):
        guard !broken.contains(where: { $0.rule == rule }) else { continue }
        let found = broken.isEmpty ? "none" : "only \(Self.list(broken, labels))"
        fail(place, "expected a violation of \(rule), found \(found)")
      case .state, .said, .holds: continue
      }
    }
  }

  private mutating func fail(_ place: ScenarioPlace, _ message: String) {
    failures.append(ScenarioProblem(place: place, message: message))
  }

  private static func list(_ verdicts: [Verdict], _ labels: [String]) -> String {
    let named = verdicts.prefix(namedMax).map { verdict in
      let stream = Int(verdict.stream.rawValue)
      let label = labels.indices.contains(stream) ? labels[stream] : verdict.app
      return "\(verdict.rule) in \(label) (\(verdict.title))"
    }
    let more = verdicts.count - named.count
    return named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
