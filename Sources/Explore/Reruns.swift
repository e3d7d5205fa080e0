// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceScenario

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
  package var plays: [Play] = []
  /// Nanoseconds that all of it took.
  package var elapsed: Int64 = 0

  /// What the recording lacks of the life that its scenario is, a clause each; empty for a whole one.
  package let missing: [String]

  /// None yet, beside what `recorded` breaks by the rules of `checker`.
  package init(title: String, recorded: StagedLife, by checker: Checker) {
    self.title = title
    self.recorded = recorded.asWritten(checker)
    missing = recorded.missing
  }

  /// Whether it is the first play that breaks just these rules: its recording is worth keeping.
  package mutating func add(_ life: StagedLife, by checker: Checker) -> Bool {
    let verdicts = life.verdicts(by: checker)
    var report = life.report
    report.judge(verdicts, labels: life.writers.map(\.attributes.app))
    let play = Play(
      found: Found.errors(among: verdicts),
      complaints: report.failures,
      file: life.file
    )
    let isNew = !plays.contains { Set($0.found.map(\.kind)) == Set(play.found.map(\.kind)) }
    plays.append(play)
    return isNew
  }

  /// Those of the recording first, then those of the plays, by rule, object and place.
  package var kinds: [Kind] {
    var out: [FailureClass: Kind] = [:]
    for found in recorded {
      out[found.kind] = Kind(first: found, isRecorded: true, count: 0)
    }
    for found in plays.flatMap(\.found) {
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

  /// How many plays broke no rule as an error and did as the scenario expects.
  package var cleanCount: Int { plays.count { $0.found.isEmpty && $0.complaints.isEmpty } }
}

extension StagedLife {
  /// What a recording of a scenario lacks where it is a piece of one, as `cut` and `record --last` make
  /// them: a clause each.
  ///
  /// The system ends all that it has started: a process without an end was cut off before it.
  package var missing: [String] {
    let labels = labels
    return writers.enumerated().flatMap { index, writer -> [String] in
      let label = labels[index] ?? "?"
      var out: [String] = []
      if let first = writer.events.first, first.sequence > 0 {
        out.append("\(label) begins with its event \(first.sequence)")
      }
      let isEnded = writer.events.contains { $0.kind == .purge || $0.kind == .processExit }
      if writer.attributes.role == .app, !isEnded { out.append("\(label) has no end") }
      return out
    }
  }
}

extension Found {
  /// The errors among the verdicts, each kind once.
  package static func errors(among verdicts: [Verdict]) -> [Found] {
    var seen: Set<FailureClass> = []
    return verdicts.filter { $0.outcome == .violated && $0.severity == .error }
      .map(Found.init).filter { seen.insert($0.kind).inserted }
  }
}
