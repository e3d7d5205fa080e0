// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// What came of the tests of a run: how each of them ended, and what the apps in it did wrong.
package struct TestFacts {
  /// One test; several runs of one name are one.
  struct Test {
    var name: String
    /// `passed` or `failed` as its harness says; nil where nobody says it.
    ///
    /// One that passed may have a remark: `passed; its life broke DL02`.
    var outcome: String?
    var verdicts: [Verdict] = []
    /// Kept traces of its simulated apps.
    var traces: [String] = []

    var isFailed: Bool { outcome.map { $0.split(separator: ";").first != "passed" } ?? false }
    /// What its harness adds, in words; empty for nothing.
    var remark: String {
      let parts = outcome?.split(separator: ";", maxSplits: 1) ?? []
      return parts.count == 2 ? ";\(parts[1])" : ""
    }
  }

  private var tests: [Test] = []
  /// By tests that were under way together, what belongs to one of them.
  private var shared: [(tests: [String], verdicts: [Verdict])] = []
  /// What belongs to none.
  private var outside: [Verdict] = []
  private let failOn: FailOn

  package init(failOn: FailOn) { self.failOn = failOn }

  /// Adds a recording of real processes.
  package mutating func add(_ facts: CheckFacts, _ runs: TestRuns) {
    for run in runs.runs { end(run.name, run.outcome ?? "did not end") }
    for name in runs.unmarked where index(of: name) == nil { tests.append(Test(name: name)) }
    for verdict in facts.findings where counts(verdict) {
      // Where data is lost at the end of a process, what made it so is the edit.
      let edit = verdict.witnesses.first { $0.label == "edit" }
      let (stream, time) = edit.map { ($0.stream, $0.time) } ?? (verdict.stream, verdict.time)
      switch runs.owner(of: stream, at: time) {
      case .test(let name): tests[known(name)].verdicts.append(verdict)
      case .several(let names):
        if let index = shared.firstIndex(where: { $0.tests == names }) {
          shared[index].verdicts.append(verdict)
        } else {
          shared.append((names, [verdict]))
        }
      case .none: outside.append(verdict)
      }
    }
  }

  /// Adds the kept trace of a simulation, whose test has failed.
  package mutating func add(trace path: String, _ facts: CheckFacts, _ runs: TestRuns) {
    guard let run = runs.runs.first else { return }
    let index = known(run.name)
    tests[index].outcome = tests[index].outcome ?? run.outcome
    tests[index].traces.append(path)
    tests[index].verdicts += facts.findings.filter(counts)
  }

  /// Whether a test failed, or a rule was broken in one, or beside all of them.
  package var isFailed: Bool {
    tests.contains { $0.isFailed || !$0.verdicts.isEmpty } || !shared.isEmpty || !outside.isEmpty
  }

  /// Whether there is a test to speak of.
  package var isEmpty: Bool { tests.isEmpty }

  private func counts(_ verdict: Verdict) -> Bool {
    verdict.outcome == .violated ? failOn.isMet(by: verdict.severity) : failOn == .undecidable
  }

  private func index(of name: String) -> Int? { tests.firstIndex { $0.name == name } }

  private mutating func known(_ name: String) -> Int {
    if let index = index(of: name) { return index }
    tests.append(Test(name: name))
    return tests.count - 1
  }

  private mutating func end(_ name: String, _ outcome: String) {
    let index = known(name)
    if tests[index].outcome == nil || outcome != "passed" { tests[index].outcome = outcome }
  }
}

extension TestFacts {
  /// A line a test, those that failed first, and a line that sums up.
  package var lines: [String] {
    var lines: [String] = []
    let bad = tests.filter { $0.isFailed || !$0.verdicts.isEmpty }
    for test in bad + tests.filter({ !$0.isFailed && $0.verdicts.isEmpty }) {
      lines.append("  \(Self.mark(test))  \(test.name)\(test.remark)")
      lines += Self.lines(of: test.verdicts)
      lines += test.traces.map { "      lifetrace replay \(CommandText.file($0))" }
    }
    for (names, verdicts) in shared {
      lines.append("  unclear  several tests: \(names.joined(separator: ", "))")
      lines += Self.lines(of: verdicts)
    }
    if !outside.isEmpty {
      lines.append("  broken   in no test")
      lines += Self.lines(of: outside)
    }
    let failed = tests.count { $0.isFailed }
    let broken = tests.count { !$0.isFailed && !$0.verdicts.isEmpty }
    var sum = Quantity.count(tests.count, "test")
    if failed > 0 { sum += ", \(failed) failed" }
    if broken > 0 { sum += ", \(broken) in which a rule was broken" }
    if !shared.isEmpty {
      sum += ", \(Quantity.count(shared.flatMap(\.verdicts).count, "verdict")) between several"
    }
    if !isFailed { sum += ", nothing found" }
    return (lines + [sum + "."]).map { Printable.line($0) }
  }

  private static func mark(_ test: Test) -> String {
    if test.isFailed { return "failed " }
    if !test.verdicts.isEmpty { return "broken " }
    return test.outcome == nil ? "clean  " : "passed "
  }

  private static func lines(of verdicts: [Verdict]) -> [String] {
    verdicts.map { "      \($0.rule) \($0.severity): \($0.title)" }
  }
}
