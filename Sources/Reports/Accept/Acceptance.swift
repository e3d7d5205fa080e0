// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
import LifetraceTrace

/// What does not count against a recording: what a project lives with, and what was known before.
///
///     var acceptance = Acceptance(suppressions: [], baseline: known, of: "known.jsonl")
///     facts.accept(by: &acceptance, report)
///     facts.accepted                          // each with its reason
package struct Acceptance {
  private let suppressions: [Suppression]
  private let baseline: Baseline
  /// The file of the baseline, as its user named it.
  private let file: String
  private var met: Set<Int> = []
  /// The suppressions that have covered something.
  private var used: Set<Int> = []

  package init(
    suppressions: [Suppression] = [],
    baseline: Baseline = Baseline(),
    of file: String = ""
  ) {
    (self.suppressions, self.baseline, self.file) = (suppressions, baseline, file)
  }

  /// Known ones that were not found again in any recording so far: a sentence, nil where all were.
  package var gone: String? {
    let count = baseline.count - met.count
    guard count > 0 else { return nil }
    return "\(file): \(count) of \(Quantity.count(baseline.count, "known finding")) did not happen "
      + "this time; if they are mended: lifetrace check --write-baseline"
  }

  /// Suppressions that covered nothing in any recording so far, a sentence each.
  ///
  /// What they are for may be mended, or they name it wrongly. Of rules that are not judged nothing is said.
  package func idle(_ rules: RuleSelection) -> [String] {
    suppressions.indices.compactMap { index in
      let one = suppressions[index]
      guard !used.contains(index), one.rule.map({ isJudged($0, rules) }) ?? true else { return nil }
      return "\(one.origin): nothing was found that it suppresses (\(one.words)): \(one.reason)"
    }
  }

  /// Whether it is a rule of those; of a pattern nobody knows which it means.
  private func isJudged(_ rule: String, _ rules: RuleSelection) -> Bool {
    rule.contains(where: "*?[".contains) || rules.contains(rule)
  }

  /// Why a violation, or a doubt, is accepted; nil for one that counts.
  package mutating func reason(for verdict: Verdict, _ report: CheckReport) -> String? {
    if let index = suppressions.firstIndex(where: { $0.covers(verdict) }) {
      used.insert(index)
      return "\(suppressions[index].origin): \(suppressions[index].reason)"
    }
    guard let known = baseline.index(of: verdict, report) else { return nil }
    met.insert(known)
    return "known from \(file)"
  }
}

extension CheckFacts {
  /// A violation, or a doubt, that does not count, and why.
  package struct Accepted: Sendable {
    package let verdict: Verdict
    package let reason: String
  }

  /// Takes out what is accepted; where all verdicts of a kind that are kept in words are, those
  /// that are only counted are taken for the same.
  package mutating func accept(by acceptance: inout Acceptance, _ report: CheckReport) {
    let unshown = Severity.allCases.map { ($0, self.unshown($0)) }
    var counted: [Verdict] = []
    for verdict in verdicts {
      let isFinding = verdict.outcome == .violated || verdict.doubt != nil
      if isFinding, let reason = acceptance.reason(for: verdict, report) {
        accepted.append(Accepted(verdict: verdict, reason: reason))
        lower(verdict.app, verdict.rule) { grade in
          if verdict.outcome == .violated {
            grade.violated[verdict.severity] -= 1
          } else {
            grade.undecidable -= 1
          }
        }
      } else {
        counted.append(verdict)
      }
    }
    verdicts = counted
    standing = Standing(of: counted, by: rules)
    for (severity, more) in unshown {
      for (app, rule, count) in more
      where !verdicts.contains(where: {
        $0.app == app && $0.rule == rule && $0.severity == severity && $0.outcome == .violated
      }) {
        lower(app, rule) { $0.violated[severity] -= count }
      }
    }
  }

  private mutating func lower(
    _ app: String,
    _ rule: String,
    _ body: (inout Checker.Grading) -> Void
  ) {
    for index in grades.indices where grades[index].app == app && grades[index].rule == rule {
      body(&grades[index])
    }
  }

  /// What was accepted, a line a reason.
  var acceptedLines: [String] {
    var reasons: [String] = []
    var rules: [String: [String]] = [:]
    for one in accepted {
      if rules[one.reason] == nil { reasons.append(one.reason) }
      rules[one.reason, default: []].append(one.verdict.rule)
    }
    return reasons.map { reason in
      let all = rules[reason] ?? []
      let names = Set(all).sorted().joined(separator: " ")
      return "\(Quantity.count(all.count, "finding")) accepted, \(names) (\(reason))."
    }
  }

  /// Leaves only what is about those apps.
  package mutating func keep(apps: Set<String>) {
    self.apps = apps
    verdicts.removeAll { !apps.contains($0.app) }
    standing = Standing(of: verdicts, by: rules)
    grades.removeAll { !apps.contains($0.app) }
    dataless.removeAll { !apps.contains($0) }
    hasNoData =
      hasNoData || (!dataless.isEmpty && dataless.count == judgedApps.intersection(apps).count)
    otherApps = judgedApps.subtracting(apps).sorted()
    judgedApps.formIntersection(apps)
    isJudged = !judgedApps.isEmpty
  }
}
