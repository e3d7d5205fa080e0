// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceRules
import LifetraceTrace

/// The frame of a JUnit file, as Ant writes it and CI services read it.
enum JUnit {
  static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
  static let foot = "</testsuites>\n"

  /// A test case and what came of it.
  struct Case {
    enum Outcome { case passed, failed, skipped, error }
    var app: String
    var name: String
    var outcome = Outcome.passed
    /// What came of it, in a line.
    var message = ""
    var type = ""
    var text = ""

    var xml: String {
      let attributes = [("classname", app), ("name", name), ("time", "0")]
      let said = [("message", message), ("type", type)]
      let inner: String? =
        switch outcome {
        case .passed: nil
        case .failed: XML.element("failure", said, XML.text(text))
        case .error: XML.element("error", said, XML.text(text))
        case .skipped: XML.element("skipped", [("message", message)])
        }
      return "    " + XML.element("testcase", attributes, inner) + "\n"
    }
  }

  /// A suite of `cases`; `notes` are its output.
  static func suite(
    _ name: String,
    _ cases: [Case],
    notes: [String] = [],
    _ report: CheckReport
  ) -> String {
    func count(_ outcome: Case.Outcome) -> String { "\(cases.count { $0.outcome == outcome })" }
    let attributes = [
      ("package", "lifetrace"), ("id", "\(report.number)"), ("name", name),
      ("timestamp", report.now), ("hostname", "localhost"), ("tests", "\(cases.count)"),
      ("failures", count(.failed)), ("errors", count(.error)), ("skipped", count(.skipped)),
      ("time", "0"),
    ]
    let output = notes.isEmpty ? "" : notes.joined(separator: "\n") + "\n"
    return "  "
      + XML.element(
        "testsuite",
        attributes,
        "\n    <properties/>\n" + cases.map(\.xml).joined() + "    "
          + XML.element("system-out", [], XML.text(output)) + "\n    <system-err/>\n  "
      ) + "\n"
  }
}

extension Checked {
  /// A suite: a test case for each rule and app that was exercised, with `verbose` for all.
  func junit(_ report: CheckReport) -> String {
    switch self {
    case .judged(let facts): facts.junit(report)
    case .unreadable(let file, let reason):
      JUnit.suite(
        file,
        [
          JUnit.Case(
            app: "lifetrace",
            name: "the recording can be read",
            outcome: .error,
            message: reason,
            type: "unreadable",
            text: reason
          )
        ],
        report
      )
    }
  }
}

extension CheckFacts {
  fileprivate func junit(_ report: CheckReport) -> String {
    var cases = grades.compactMap { testCase($0, report) }
    cases += unmet.map {
      JUnit.Case(
        app: "lifetrace",
        name: "the recording has what is required",
        outcome: .failed,
        message: $0,
        type: "unmet",
        text: $0
      )
    }
    if cases.isEmpty {
      // A suite without a test would pass for one that was run.
      cases = [
        JUnit.Case(
          app: "lifetrace",
          name: "something was judged",
          outcome: .skipped,
          message: isJudged ? "no rule was exercised" : Unjudged.nothingJudged
        )
      ]
    }
    return JUnit.suite(file, cases, notes: notes(report), report)
  }

  private func testCase(_ grade: Checker.Grading, _ report: CheckReport) -> JUnit.Case? {
    let info = rules.first { $0.id == grade.rule }
    var test = JUnit.Case(app: grade.app, name: "\(grade.rule) \(info?.statement ?? "")")
    let all = verdicts.filter { $0.rule == grade.rule && $0.app == grade.app }
    let notes = all.filter { standing.head(of: $0) != nil }
    let mine = all.filter { standing.head(of: $0) == nil }
    let failing = Severity.allCases.filter { severity in
      grade.violated[severity] > 0 && report.failOn.isMet(by: severity)
        && !isUnder(severity, grade.app, grade.rule)
    }
    let broken = mine.filter { $0.outcome == .violated && report.failOn.isMet(by: $0.severity) }
    if let worst = failing.max() {
      let count = failing.reduce(0) { sum, severity in
        sum + grade.violated[severity] - notes.count { $0.severity == severity }
      }
      test.outcome = .failed
      test.type = "\(grade.rule) \(worst)"
      test.message =
        (broken.first.map { "\($0.title)" } ?? "broken")
        + (count > 1 ? ", and \(count - 1) more" : "")
      test.text = broken.map { story($0, report).joined(separator: "\n") + "\n" }.joined(
        separator: "\n"
      )
    } else if grade.undecidable > 0 {
      test.outcome = report.failOn == .undecidable ? .failed : .skipped
      test.type = "\(grade.rule) undecidable"
      test.message = mine.lazy.compactMap(\.doubt).first.map { "undecidable, because \($0)" } ?? ""
      test.text = test.message
    } else if let head = notes.first.flatMap(standing.head) {
      test.outcome = .skipped
      test.message = "broken by what \(head.rule) is about, and told there"
    } else if grade.held == 0, grade.violated.total == 0 {
      guard report.verbose else { return nil }
      test.outcome = .skipped
      test.message = "not exercised"
    }
    return test
  }

  /// What does not fail the check, and what was not judged.
  private func notes(_ report: CheckReport) -> [String] {
    let some = findings.filter { $0.outcome == .violated && !report.failOn.isMet(by: $0.severity) }
    return (some.flatMap { story($0, report) + [""] } + summary(verbose: report.verbose))
      .map { Printable.line($0) }
  }
}

extension Verdict {
  /// Why it is undecidable; nil where it is not.
  var doubt: String? {
    if case .undecidable(let reason) = outcome { "\(reason)" } else { nil }
  }
}
