// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceScenario
import LifetraceTrace

/// Plays of one scenario beside the recording that it was kept in: what each of them breaks.
///
///     var reruns = Reruns(title: "lost-edit.yml", recorded: life, by: checker)
///     reruns.add(try stage.play(scenario), by: checker)
///     reruns.kinds[0].count        // of so many plays
///
/// Findings are the same where rule, object and place are: an event's number says nothing in another
/// play.
package struct Reruns: Sendable {
  /// One play.
  package struct Play: Sendable {
    /// Errors of the rules, each kind once.
    package var found: [Found]
    /// Warnings of the rules, each kind once; they do not count as failures.
    package var warnings: [Found] = []
    /// Rules that could not be decided in it, each once, by name.
    package var undecided: [String] = []
    /// Steps that could not be played, and expectations that did not hold.
    package var complaints: [ScenarioProblem]
    /// Its recording, if that is kept.
    package var file: String?
  }

  /// A kind of finding, and where it was made.
  package struct Kind: Sendable {
    package var first: Found
    package var isRecorded: Bool
    /// In how many plays.
    package var count: Int
  }

  /// The scenario's file.
  package var title: String
  /// As they were typed.
  package var changes: [String] = []
  /// What the recording breaks.
  package var recorded: [Found]
  /// What the recording breaks as a warning.
  package var recordedWarnings: [Found]
  package var plays: [Play] = []
  /// Nanoseconds that all of it took.
  package var elapsed: Int64 = 0

  /// What the recording lacks of the life that its scenario is, a clause each; empty for a whole one.
  package let missing: [String]

  /// None yet, beside what `recorded` breaks by the rules of `checker`.
  package init(title: String, recorded: StagedLife, by checker: Checker) {
    self.title = title
    let verdicts = recorded.violations(by: checker)
    self.recorded = Found.each(.error, among: verdicts)
    recordedWarnings = Found.each(.warning, among: verdicts)
    missing = recorded.missing
  }

  /// Whether it is the first play that breaks just these rules: its recording is worth keeping.
  package mutating func add(_ life: StagedLife, by checker: Checker) -> Bool {
    let verdicts = life.verdicts(by: checker)
    var report = life.report
    report.judge(verdicts, labels: life.writers.map(\.attributes.app))
    let play = Play(
      found: Found.each(.error, among: verdicts),
      warnings: Found.each(.warning, among: verdicts),
      undecided: Self.undecided(verdicts),
      complaints: report.failures,
      file: life.file
    )
    let isNew = !plays.contains { Set($0.found.map(\.kind)) == Set(play.found.map(\.kind)) }
    plays.append(play)
    return isNew
  }

  private static func undecided(_ verdicts: [Verdict]) -> [String] {
    let open = verdicts.filter { verdict in
      if case .undecidable = verdict.outcome { true } else { false }
    }
    return Set(open.map(\.rule)).sorted()
  }

  /// Errors: those of the recording first, then those of the plays, by rule, object and place.
  package var kinds: [Kind] { Self.kinds(recorded, plays.flatMap(\.found)) }

  /// Warnings, in the same order.
  package var warningKinds: [Kind] { Self.kinds(recordedWarnings, plays.flatMap(\.warnings)) }

  private static func kinds(_ recorded: [Found], _ played: [Found]) -> [Kind] {
    var out: [FailureClass: Kind] = [:]
    for found in recorded {
      out[found.kind] = Kind(first: found, isRecorded: true, count: 0)
    }
    for found in played {
      var kind = out[found.kind] ?? Kind(first: found, isRecorded: false, count: 0)
      // Times and sizes are told as of now.
      if kind.count == 0 { kind.first = found }
      kind.count += 1
      out[found.kind] = kind
    }
    return out.values.sorted {
      $0.isRecorded != $1.isRecorded ? $0.isRecorded : $0.first.kind < $1.first.kind
    }
  }

  /// A step of the scenario that could not be played, or an expectation that did not hold.
  package struct Complaint: Sendable {
    /// As the first play that had it told it.
    package var first: ScenarioProblem
    /// In how many plays.
    package var count: Int
  }

  /// Those of all plays, in the order in which they came; what is the same but for its times is one.
  package var complaints: [Complaint] {
    var out: [Complaint] = []
    for play in plays {
      for problem in play.complaints {
        if let known = out.firstIndex(where: { $0.first.isSame(as: problem) }) {
          out[known].count += 1
        } else {
          out.append(Complaint(first: problem, count: 1))
        }
      }
    }
    return out
  }

  /// How many plays broke no rule as an error and did as the scenario expects.
  package var cleanCount: Int { plays.count { $0.found.isEmpty && $0.complaints.isEmpty } }

  /// Rules that plays could not decide, by name, and in how many.
  package var undecidedRules: [(rule: String, count: Int)] {
    Dictionary(grouping: plays.flatMap(\.undecided)) { $0 }.map { ($0.key, $0.value.count) }
      .sorted { $0.0 < $1.0 }
  }

  /// How many plays had a warning.
  package var warnedCount: Int { plays.count { !$0.warnings.isEmpty } }
}

extension StagedLife {
  /// What a recording of a scenario lacks where it is a piece of one, as `cut` and `record --last` make
  /// them: a clause each.
  ///
  /// The system ends all that it has started: a process without an end was cut off before it, and so was
  /// what came behind the last process where the device has none. What was merged with it from other
  /// recordings is not asked.
  package var missing: [String] {
    let device = writers.lazy.compactMap { writer in
      writer.events.lazy.compactMap { KeptScenario($0, names) }.first.map { (writer, $0) }
    }.first
    let labels = labels
    var out: [String] = []
    var isCut = false
    for (index, writer) in writers.enumerated() {
      if let (own, _) = device, writer.attributes.origin.session != own.attributes.origin.session {
        continue
      }
      let label = labels[index] ?? "?"
      if let first = writer.events.first, first.sequence > 0 {
        out.append("\(label) begins with its event \(first.sequence)")
      }
      let isEnded = writer.events.contains { [.purge, .processExit, .end].contains($0.kind) }
      if writer.attributes.role == .app, !isEnded {
        out.append("\(label) has no end")
        isCut = true
      }
    }
    // In virtual time nobody notes the end of the recording.
    if let (own, kept) = device, !isCut, !kept.folder.isEmpty,
      !own.events.contains(where: { $0.kind == .end })
    {
      out.append("it stops before the end of its scenario")
    }
    return out
  }
}

extension ScenarioProblem {
  /// Whether it is the same at the same place: numbers and what stands in parentheses, such as times of
  /// a finding, say nothing in another play.
  fileprivate func isSame(as other: ScenarioProblem) -> Bool {
    place == other.place && gist == other.gist
  }

  private var gist: String {
    let whole = message.firstRange(of: " (").map { message[..<$0.lowerBound] } ?? message[...]
    return String(whole.filter { !$0.isNumber })
  }
}

extension Found {
  /// The violations of that severity among the verdicts, each kind once.
  package static func each(_ severity: Severity, among verdicts: [Verdict]) -> [Found] {
    var seen: Set<FailureClass> = []
    return verdicts.filter { $0.outcome == .violated && $0.severity == severity }
      .map(Found.init).filter { seen.insert($0.kind).inserted }
  }
}
