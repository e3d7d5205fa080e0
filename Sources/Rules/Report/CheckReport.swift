// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
public import LifetraceTrace
import LifetraceWords

/// The verdicts on a recording as a story: errors in full, warnings counted, and what was not judged.
///
///     let report = CheckReport(checker, labels: labels, epochs: starts)
///     print(report.text(file: "run.lifetrace"))
public struct CheckReport: Sendable {
  package let verdicts: [Verdict]
  private let counts: [(app: String, rule: String, tally: Tallies.Tally)]
  package let labels: [String]
  private let epochs: [HostTime]
  private let walls: [WallClock?]
  private let lost: EventsLost
  private let letGo: UInt64
  private let isUnjudged: Bool
  /// Who could not join, and why: a sentence each.
  private let absentees: [String]
  private static let absenteesShown = 3
  /// The apps that have declared no data, and whether others have.
  private let dataless: (apps: [String], areAll: Bool)
  private let timeScales: TimeScales
  private let held: [HeldSequences]
  /// The files of a recording that stands in several; empty for one file.
  package var files: [ReportedFile] = []

  /// What is said of a recording without an app.
  public static let nothingJudged =
    "No app joined this recording, so nothing was judged: "
    + "none below lifetrace record links Lifetrace and has recorded anything."

  /// A report on what a checker found; `labels`, `epochs` and `walls` are by stream.
  ///
  /// Times count from the epochs; where there is a wall, its clock is shown too. A file may know of
  /// more events that are lost than the checker has met, of those it was not to keep, and of who
  /// could not join. `held` says which events a stream still has; without it, all that verdicts name.
  public init(
    _ checker: Checker,
    labels: [String],
    epochs: [HostTime],
    walls: [WallClock?] = [],
    lost: EventsLost? = nil,
    letGo: UInt64 = 0,
    held: [HeldSequences] = [],
    absentees: [String] = []
  ) {
    self.held = held
    verdicts = checker.finish()
    counts = checker.tallies
    self.lost = lost ?? EventsLost(count: checker.lost)
    self.letGo = letGo
    isUnjudged = !checker.hasJudged
    self.absentees = absentees
    dataless = (checker.appsWithoutData, !checker.hasData)
    timeScales = checker.timeScales
    self.labels = labels
    self.epochs = epochs
    self.walls = walls
  }

  /// The gravest severity of what is violated, or nil.
  public var worst: Severity? { counts.compactMap(\.tally.violated.worst).max() }

  /// Whether something could not be decided.
  public var isUndecided: Bool { counts.contains { $0.tally.undecidable > 0 } }

  /// All of it, in lines; `verbose` names the rules that were kept and those that had no occasion.
  public func text(file: String, verbose: Bool = false) -> String {
    var out = timeScales.sentences
    if !out.isEmpty { out.append("") }
    for verdict in verdicts where verdict.outcome == .violated && verdict.severity == .error {
      out += full(verdict, file: file) + [""]
    }
    out += errorsNotShown()
    out += grouped(.warning, "warnings", file: file)
    out += grouped(.info, "notes", file: file)
    out += undecided(file: file)
    out += summary(verbose: verbose)
    // Names and sources come from the recording, which may be hostile.
    return out.map { Printable.line($0) }.joined(separator: "\n") + "\n"
  }

  // MARK: One verdict

  private func full(_ verdict: Verdict, file: String) -> [String] {
    var out = ["\(verdict.rule) \(verdict.severity)  \(label(verdict.stream))  \(moment(verdict))"]
    out.append("  \(verdict.title.capitalised).")
    out += verdict.details.map { "  \($0)" }
    out += verdict.witnesses.map { "    \(line($0))" }
    out.append("  Fix: \(verdict.advice)")
    out.append("  \(command(verdict, file))")
    return out
  }

  /// One witness, as `+2.104s  notes#1:17  edit  Notes/Editor.swift:41`.
  private func line(_ witness: Witness) -> String {
    var parts = [
      time(witness.stream, witness.time), "\(label(witness.stream)):\(witness.sequence)",
    ]
    parts.append(witness.label)
    if let source = witness.source { parts.append("\(source)") }
    if !isHeld(witness.stream, witness.sequence) { parts.append("(not in the recording)") }
    return parts.joined(separator: "  ")
  }

  private func command(_ verdict: Verdict, _ file: String) -> String {
    let there = verdict.witnesses.filter { isHeld($0.stream, $0.sequence) }
    let target = there.first { $0.label == "edit" } ?? there.first
    let sequence = target?.sequence ?? verdict.sequence
    let (path, writer) = place(of: sequence, target?.stream ?? verdict.stream, file)
    return "lifetrace replay \(CommandText.file(path)) -e "
      + CommandText.argument("goto \(CommandText.word("\(writer):\(sequence)"))")
  }

  /// The file in which to look for an event, and how the writer is called there.
  private func place(
    of sequence: UInt64,
    _ stream: StreamID,
    _ file: String
  ) -> (path: String, label: String) {
    ReportedFile.place(of: sequence, Int(stream.rawValue), in: files) ?? (file, label(stream))
  }

  /// Facts reach further back than what a recording has kept, or can still read.
  private func isHeld(_ stream: StreamID, _ sequence: UInt64) -> Bool {
    let index = Int(stream.rawValue)
    return index < held.count ? held[index].contains(sequence) : true
  }

  // MARK: Many

  /// Breaches that are counted without a verdict of their own.
  private func notShown(_ severity: Severity) -> [(app: String, rule: String, count: Int)] {
    counts.compactMap { count in
      let shown = count.tally.kept.count { $0.outcome == .violated && $0.severity == severity }
      let more = count.tally.violated[severity] - shown
      return more > 0 ? (count.app, count.rule, more) : nil
    }
  }

  private func violations(_ severity: Severity) -> Int {
    counts.reduce(0) { $0 + $1.tally.violated[severity] }
  }

  private func errorsNotShown() -> [String] {
    let out = notShown(.error).map {
      "\($0.rule): \(Quantity.grouped(UInt64($0.count))) more in \($0.app) like these."
    }
    return out.isEmpty ? [] : out + [""]
  }

  private func grouped(_ severity: Severity, _ title: String, file: String) -> [String] {
    let some = verdicts.filter { $0.outcome == .violated && $0.severity == severity }
    guard !some.isEmpty else { return [] }
    let more = notShown(severity)
    return ["\(title):"]
      + examples(some, file, more: { rule in more.filter { $0.rule == rule }.map(\.count) }) { _ in
        nil
      } + [""]
  }

  private func undecided(file: String) -> [String] {
    let some = verdicts.filter { if case .undecidable = $0.outcome { true } else { false } }
    guard !some.isEmpty else { return [] }
    return ["undecidable:"]
      + examples(some, file) {
        if case .undecidable(let reason) = $0.outcome { reason } else { nil }
      } + [""]
  }

  /// Per rule: how often, and the first as an example.
  private func examples(
    _ some: [Verdict],
    _ file: String,
    more: (String) -> [Int] = { _ in [] },
    reason: (Verdict) -> Sentence?
  ) -> [String] {
    var out: [String] = []
    var told: Set<String> = []
    for verdict in some where told.insert(verdict.rule).inserted {
      let number = some.count { $0.rule == verdict.rule } + more(verdict.rule).reduce(0, +)
      let times = number == 1 ? "" : "  \(Quantity.grouped(UInt64(number))) times, first:"
      out.append("  \(verdict.rule)  \(label(verdict.stream))  \(moment(verdict))\(times)")
      out.append("    \(verdict.title.capitalised).")
      if let reason = reason(verdict) { out.append("    Because \(reason).") }
      if reason(verdict) == nil { out += verdict.details.map { "    \($0)" } }
      out.append("    \(command(verdict, file))")
    }
    return out
  }

  /// The rules that nothing broke: a count of those kept and those that never applied, or their ids.
  private func unbroken(verbose: Bool) -> [String] {
    // Of several apps: what one has broken, the recording has not kept.
    let unbroken = RuleTable.infos.map(\.id).filter { rule in
      counts.contains { $0.rule == rule } && !isJudged(rule)
    }
    let held = unbroken.filter { rule in counts.contains { $0.rule == rule && $0.tally.held > 0 } }
    let idle = unbroken.filter { !held.contains($0) }
    guard verbose else {
      let kept = Quantity.count(held.count, "rule") + " kept"
      return [idle.isEmpty ? "\(kept)." : "\(kept), \(idle.count) without occasion."]
    }
    return (held.isEmpty ? [] : ["kept: \(held.joined(separator: " "))"])
      + (idle.isEmpty ? [] : ["without occasion: \(idle.joined(separator: " "))"])
  }

  private func summary(verbose: Bool) -> [String] {
    var out: [String] = []
    if isUnjudged, absentees.isEmpty { return [Self.nothingJudged] }
    if isUnjudged { out.append("No app joined this recording, so nothing was judged.") }
    if !absentees.isEmpty {
      let who = Quantity.count(absentees.count, "process")
      out.append("\(who) could not join\(isUnjudged ? "" : ", so not all was judged"):")
      out += absentees.prefix(Self.absenteesShown).map { "  \($0)." }
      let more = absentees.count - Self.absenteesShown
      if more > 0 { out.append("  and \(more) more (lifetrace dump --kind log)") }
    }
    if isUnjudged { return out }
    out += unbroken(verbose: verbose)
    if let line = Self.noData(dataless.apps, areAll: dataless.areAll) { out.append(line) }
    if !lost.isNone { out.append("\(lost.text): what they held was not judged.") }
    if letGo > 0 {
      let events = Quantity.count(letGo, "event")
      out.append("\(events) let go (--last): what they held was not judged.")
    }
    let errors = violations(.error)
    let warnings = violations(.warning)
    let undecidable = counts.reduce(0) { $0 + $1.tally.undecidable }
    var parts = [
      Quantity.count(UInt64(errors), "error"), Quantity.count(UInt64(warnings), "warning"),
    ]
    if undecidable > 0 { parts.append("\(undecidable) undecidable") }
    out.append(parts.joined(separator: ", ") + ".")
    return out
  }

  /// What is said where nothing can be lost as far as anybody knows; nil where all have data.
  private static func noData(_ apps: [String], areAll: Bool) -> String? {
    guard !apps.isEmpty else { return nil }
    let some = apps.prefix(absenteesShown).joined(separator: ", ")
    let more = apps.count - absenteesShown
    let who = areAll ? "" : " by \(some)" + (more > 0 ? " and \(more) more" : "")
    return "No data object was declared\(who): nothing about losses was judged"
      + (areAll ? "." : " there.")
  }

  private func isJudged(_ rule: String) -> Bool {
    counts.contains {
      $0.rule == rule && $0.tally.violated.total + $0.tally.undecidable > 0
    }
  }

  // MARK: Words

  private func label(_ stream: StreamID) -> String {
    Int(stream.rawValue) < labels.count ? labels[Int(stream.rawValue)] : "?"
  }

  private func time(_ verdict: Verdict) -> String { time(verdict.stream, verdict.time) }

  /// When a verdict became so, also as the log says it, so that the lines around can be found.
  private func moment(_ verdict: Verdict) -> String {
    let index = Int(verdict.stream.rawValue)
    let wall = index < walls.count ? walls[index] : nil
    return time(verdict) + (wall.map { "  \($0.text(verdict.time))" } ?? "")
  }

  /// Since the start of the recording, to the millisecond.
  private func time(_ stream: StreamID, _ time: HostTime) -> String {
    Quantity.sinceStart(sinceStart(stream, time)) + "s"
  }

  private func sinceStart(_ stream: StreamID, _ time: HostTime) -> Int64 {
    let index = Int(stream.rawValue)
    return time - (index < epochs.count ? epochs[index] : HostTime(rawValue: 0))
  }
}

extension CheckReport {
  /// One JSON object a verdict, and a last one that sums up; nothing else.
  public func jsonLines(file: String) -> String {
    var out = ""
    for verdict in verdicts {
      let isPlaced = verdict.outcome != .held && verdict.outcome != .vacuous
      let path = isPlaced ? place(of: verdict.sequence, verdict.stream, file).path : file
      var fields: [(String, JSON)] = [
        ("file", .string(path)),
        ("rule", .string(verdict.rule)),
        ("outcome", .string(verdict.outcome.word)),
        ("severity", .string(verdict.severity.rawValue)),
        ("app", .string(verdict.app)),
        ("title", .string("\(verdict.title)")),
      ]
      if case .undecidable(let reason) = verdict.outcome {
        fields.append(("reason", .string("\(reason)")))
      }
      switch verdict.outcome {
      case .held, .vacuous: fields.append(("occasions", JSON(verdict.occasions)))
      default:
        fields.append(("writer", .string(label(verdict.stream))))
        fields.append(("incarnation", JSON(Int(verdict.incarnation))))
        fields.append(("sequence", JSON(verdict.sequence)))
        fields.append(("time", .int(verdict.time.rawValue)))
        fields.append(("sinceStart", .int(sinceStart(verdict.stream, verdict.time))))
        fields.append(("details", .array(verdict.details.map { .string("\($0)") })))
        fields.append(("witnesses", .array(verdict.witnesses.map(json))))
      }
      fields.append(("advice", .string("\(verdict.advice)")))
      out += JSON.object(fields).text + "\n"
    }
    out +=
      JSON.object([
        ("summary", .string(file)),
        ("errors", JSON(violations(.error))),
        ("warnings", JSON(violations(.warning))),
        ("undecidable", JSON(counts.reduce(0) { $0 + $1.tally.undecidable })),
        ("judged", .bool(!isUnjudged)),
        ("withoutData", .array(dataless.apps.map(JSON.string))),
        ("notJoined", .array(absentees.map(JSON.string))),
        ("lost", JSON(lost.count)),
        ("uncounted", .bool(lost.isAtLeast)),
        ("letGo", JSON(letGo)),
        ("timeScales", .array(timeScales.lines.map(JSON.string))),
      ]).text + "\n"
    return out
  }

  private func json(_ witness: Witness) -> JSON {
    .object([
      ("label", .string(witness.label)),
      ("writer", .string(label(witness.stream))),
      ("sequence", JSON(witness.sequence)),
      ("time", .int(witness.time.rawValue)),
      ("sinceStart", .int(sinceStart(witness.stream, witness.time))),
      ("source", .string(witness.source?.description ?? "")),
    ])
  }
}
