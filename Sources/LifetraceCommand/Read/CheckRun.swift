// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetracePlatform
import LifetraceReports
import LifetraceRules
import LifetraceScenario
import LifetraceTrace
import LifetraceTraceFile

/// One run of `check` over recordings: reads them, prints what was found, and says how it went.
struct CheckRun {
  let judgement: Judgement
  private let suppressions: [Suppression]
  /// What is said beside the verdicts: which rules are off, and which suppressions have ended.
  private let remarks: [String]
  var format = CheckFormat.text
  var report = CheckReport()
  /// The file to print into; nil for standard output.
  var output: String?
  /// The apps that the answer is about; empty for all.
  var apps: Set<String> = []
  /// Whether it is a failure where none of them took part.
  var requiresApp = false
  /// Whether it is a failure where an app has declared no data.
  var requiresData = false
  /// Whether it leaves with 2 where the order of events of different machines is in doubt.
  var isStrict = false
  /// Whether whatever was found ends with exit code 0.
  var exitsZero = false
  private(set) var acceptance: Acceptance
  /// Where what was found is written as known; nil for nowhere.
  private var knownFile: String?
  private var known = Baseline()
  /// Whether some recording could not be read, was damaged, or is incomplete.
  private var isIncomplete = false
  /// Whether the system refused to read some.
  private var isRefused = false
  /// Whether some recording was judged.
  private var hasJudged = false
  private var isFailed = false

  /// App lives are judged on as many threads; each takes memory for an open recording.
  private static let coresMax = 2

  /// `path` is where the configuration stands.
  init(_ judgement: Judgement, _ configuration: Configuration?, _ path: String?) {
    self.judgement = judgement
    let (path, today) = (path ?? Configuration.fileName, UniversalTime.today)
    suppressions = configuration?.suppressions(on: today, path: path) ?? []
    remarks =
      (configuration?.off.map(\.sentence) ?? [])
      + (configuration?.expired(on: today, path: path) ?? [])
    acceptance = Acceptance(suppressions: suppressions)
    report.version = Lifetrace.configuration.version
    report.now = UniversalTime.now
  }

  /// Judges the files of a run as one recording, or each by itself, and goes on past those that are
  /// broken; throws the exit code where it is not 0.
  mutating func check(_ files: [String], each: Bool = false) throws {
    var lines = try lines()
    let files = RecordingNames.files(files)
    let groups =
      each ? files.map { RunGroup(runs: [], files: [$0]) } : RunGroup.groups(of: files)
    report.isOneOfMany = groups.count > 1
    let progress = ProgressBar(total: groups.count)
    try lines.write(format.head(report))
    for (number, group) in groups.enumerated() {
      progress.show(number)
      defer { progress.clear() }
      var readers: [(file: String, reader: TraceReader)] = []
      for file in group.files {
        if let reader = try read(file, into: &lines) { readers.append((file, reader)) }
      }
      if !readers.isEmpty { try judge(readers, each ? nil : group, into: &lines) }
    }
    try lines.write(format.foot(report))
    // Where a program reads, text for a person goes elsewhere.
    let idle = hasJudged && apps.isEmpty ? acceptance.idle(judgement.rules) : []
    for line in remarks + idle + [acceptance.gone].compactMap({ $0 }) {
      if format.isForPeople { try lines.print(line) } else { Failure.say(line) }
    }
    try lines.flush()
    try keepKnown()
    if exitsZero { return }
    if isFailed { throw ExitCode(1) }
    if isRefused { throw TraceOpening.io }
    if isIncomplete { throw TraceOpening.damaged }
    // An app that is nowhere was misspelled, or was never recorded: neither is good news.
    if !apps.isEmpty, !hasJudged { throw ExitCode(1) }
  }

  /// Where it prints to.
  func lines() throws -> LineOutput {
    try output.map { try LineOutput(file: $0) } ?? LineOutput(outlivesReader: true)
  }

  /// Prints what was found in several recordings as one document.
  mutating func write(document all: [CheckFacts]) throws {
    var lines = try lines()
    report.isOneOfMany = all.count > 1
    try lines.write(format.head(report))
    for facts in all { try write(.judged(facts), into: &lines) }
    try lines.write(format.foot(report))
    try lines.flush()
  }

  private mutating func read(_ file: String, into lines: inout LineOutput) throws -> TraceReader? {
    do throws(TraceFileError) {
      let reader = try TraceReader(path: file)
      if reader.streams.isEmpty { throw TraceFileError(file, .empty) }
      return reader
    } catch {
      if error.reason == .notATrace, let story = Recording.trace(ofStory: file) { return story }
      try leave(error, file, into: &lines)
      return nil
    }
  }

  /// Says why a recording was not judged; the exit code follows at the end.
  private mutating func leave(
    _ error: TraceFileError,
    _ file: String,
    into lines: inout LineOutput
  ) throws {
    if TraceOpening.leave(error) == TraceOpening.io {
      isRefused = true
    } else {
      isIncomplete = true
    }
    let reason = TraceOpening.unreadable(error).sentences[0]
    try write(.unreadable(file: file, reason: reason), into: &lines)
  }

  private mutating func judge(
    _ readers: [(file: String, reader: TraceReader)],
    _ group: RunGroup?,
    into lines: inout LineOutput
  ) throws {
    let name = readers.map(\.file).joined(separator: " ")
    let recording: JoinedTraces
    do throws(TraceFileError) {
      recording = try JoinedTraces(readers.map(\.reader))
    } catch {
      return try leave(error, name, into: &lines)
    }
    let facts = facts(of: recording, named: name)
    if facts.isJudged { hasJudged = true }
    if report.isOneOfMany && format.isForPeople {
      try lines.print("== \(group?.heading ?? Printable.line(facts.file))")
    }
    try write(.judged(facts), into: &lines)
    if report.failOn.isMet(by: facts) { isFailed = true }
    if isStrict, !facts.clockDoubts.isEmpty { isIncomplete = true }
    if !Self.tellProblems(recording) || facts.hasUnreadable { isIncomplete = true }
  }

  private mutating func facts(of recording: JoinedTraces, named name: String) -> CheckFacts {
    var facts = CheckFacts(
      recording,
      by: judgement,
      named: name,
      cores: min(availableCores(), Self.coresMax),
      isVerbose: report.verbose
    )
    weigh(&facts)
    return facts
  }

  /// What counts in a recording of tests, its tests, and whether all of it could be read; nil where
  /// it cannot be read at all, which is reported.
  mutating func facts(of file: String) throws -> (CheckFacts, TestRuns, isWhole: Bool)? {
    do throws(TraceFileError) {
      let recording = try JoinedTraces([try TraceReader(path: file)])
      let found = facts(of: recording, named: file)
      let runs = TestRuns(recording)
      return (found, runs, Self.tellProblems(recording) && !found.hasUnreadable)
    } catch {
      _ = TraceOpening.leave(error)
      return nil
    }
  }

  /// Leaves out what the answer is not about, and what does not count.
  private mutating func weigh(_ facts: inout CheckFacts) {
    if !apps.isEmpty { facts.keep(apps: apps) }
    if requiresApp, !facts.isJudged {
      let which = apps.isEmpty ? "no app" : "none of " + apps.sorted().joined(separator: ", ")
      facts.unmet.append("\(which) took part in \(facts.file) (--require-app)")
    }
    if requiresData, let why = facts.missingData { facts.unmet.append(why) }
    facts.accept(by: &acceptance, report)
    guard let knownFile else { return }
    known.add(facts, report)
    var all = Acceptance(baseline: known, of: knownFile)
    facts.accept(by: &all, report)
  }

  // MARK: What is known

  /// Takes what is in the file at `path` for known.
  mutating func read(baseline path: String) throws {
    let text: String
    do throws(SmallFile.Failure) {
      text = try SmallFile.text(of: path, bytesMax: Self.baselineBytesMax)
    } catch {
      Failure.say("\(error)")
      throw TraceOpening.io
    }
    do throws(BaselineError) {
      let known = try Baseline(parsing: text)
      acceptance = Acceptance(suppressions: suppressions, baseline: known, of: path)
    } catch {
      Failure.say("\(Printable.line(path)): \(error)")
      throw ExitCode(EX_CONFIG)
    }
  }

  /// All that is found is known from then on, and written to the file at `path`.
  mutating func write(baseline path: String) { knownFile = path }

  /// A file of known findings is no larger than this.
  private static let baselineBytesMax = 64 << 20

  private func keepKnown() throws {
    guard let knownFile else { return }
    var file = try LineOutput(file: knownFile)
    try file.write(known.text)
    try file.flush()
    Failure.say("\(Printable.line(knownFile)): \(Quantity.count(known.count, "known finding"))")
  }

  private mutating func write(_ checked: Checked, into lines: inout LineOutput) throws {
    try lines.write(format.write(checked, report))
    try lines.flush()
    report.number += 1
  }

  /// Reports damage of the files; true where they are whole.
  private static func tellProblems(_ recording: JoinedTraces) -> Bool {
    var isWhole = true
    for (index, reader) in recording.readers.enumerated() {
      var facts = FileFacts(reader, recovery: RecoveryHint.text(for: reader))
      facts.problems = recording.problems(of: index)
      for warning in facts.warnings { Failure.say(warning) }
      if !facts.problems.isEmpty { isWhole = false }
    }
    // A repaired copy is whole as a file; what its marks of loss stand for was not judged.
    return isWhole && !recording.streams.contains { $0.chunks.contains(where: \.isStandIn) }
  }
}
