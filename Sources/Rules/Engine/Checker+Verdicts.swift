// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

// What has been found, in order.

extension Checker {
  /// Of those the breaches and doubts, which come first.
  package var findings: [Verdict] {
    let kept = context.tallies.apps.flatMap { app in enabled.flatMap { app.tallies[$0].kept } }
    return kept.sorted(by: Self.isBefore)
  }

  /// The others: one for each rule and app of which there is no breach and no doubt.
  ///
  /// As many as there are rules for each app: of ten thousand apps a million.
  package var summaries: [Verdict] {
    let infos = infos
    var verdicts: [Verdict] = []
    for (app, tallies) in context.tallies.apps {
      for index in enabled where tallies[index].kept.isEmpty {
        verdicts.append(Self.summary(infos[index], app, held: tallies[index].held))
      }
    }
    return verdicts.sorted(by: Self.isBefore)
  }

  /// The violations that ``finish()`` would tell, in its order, without a word of the other rules.
  package var violations: [Verdict] { findings.filter { $0.outcome == .violated } }
}

extension Checker {
  fileprivate static func summary(_ info: RuleInfo, _ app: String, held: Int) -> Verdict {
    Verdict(
      rule: info.id,
      severity: info.severity,
      outcome: held > 0 ? .held : .vacuous,
      stream: StreamID(rawValue: 0),
      app: app,
      incarnation: 0,
      sequence: 0,
      time: HostTime(rawValue: 0),
      witnesses: [],
      title: Sentence(info.statement),
      details: [],
      advice: Sentence(info.fix),
      occasions: held
    )
  }

  fileprivate static func isBefore(_ left: Verdict, _ right: Verdict) -> Bool {
    let (first, second) = (rank(left), rank(right))
    guard first == second else { return first < second }
    return (left.rule, left.stream, left.time, left.sequence)
      < (right.rule, right.stream, right.time, right.sequence)
  }

  fileprivate static func rank(_ verdict: Verdict) -> Int {
    switch verdict.outcome {
    case .violated: verdict.severity == .error ? 0 : verdict.severity == .warning ? 1 : 2
    case .undecidable: 3
    case .held: 4
    case .vacuous: 5
    }
  }
}
