// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// What a finding says, for formats that carry texts by name.
package struct FindingText: Sendable {
  /// The rule and what it says: `DS02: draft.txt lost version 3`.
  package let title: String
  /// `violation` or `undecidable`.
  package let outcome: String
  /// Everything else, by name, in a fixed order: `rule`, `severity`, `event`, and so on.
  package let pairs: [(String, String)]

  /// The texts of `finding`; `labels` are those of the processes by stream.
  package init(_ finding: Finding, labels: [String]) {
    func name(_ stream: StreamID, _ sequence: UInt64) -> String {
      "\(EventName(writer: labels[Int(stream.rawValue)], sequence: sequence))"
    }
    let verdict = finding.kept
    outcome = finding.isViolation ? "violation" : "undecidable"
    let what = verdict.map { "\($0.title)" } ?? finding.object
    title = what.isEmpty ? finding.rule : "\(finding.rule): \(what)"
    var pairs = [
      ("rule", finding.rule),
      ("severity", finding.severity.rawValue),
      ("event", name(finding.stream, finding.sequence)),
    ]
    if case .undecidable(let reason) = verdict?.outcome { pairs.append(("reason", "\(reason)")) }
    if let verdict {
      if !verdict.details.isEmpty {
        pairs.append(("why", verdict.details.map { "\($0)" }.joined(separator: "\n")))
      }
      if !verdict.witnesses.isEmpty {
        let lines = verdict.witnesses.map { "\($0.label): \(name($0.stream, $0.sequence))" }
        pairs.append(("witnesses", lines.joined(separator: "\n")))
      }
      pairs.append(("advice", "\(verdict.advice)"))
    }
    self.pairs = pairs
  }
}
