// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
package import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// What `check` says of a recording: the verdicts, how many more there are, and what was not judged.
///
///     let facts = CheckFacts(recording, by: Judgement(), named: "run.lifetrace")
///     print(facts.text(), terminator: "")
///
/// Each ``CheckFormat`` writes them in its own form.
package struct CheckFacts: Sendable {
  /// The recording, as its user named it.
  package let file: String
  /// Breaches and doubts, the graver first, and of each kind not more than a hundred for a rule and an app.
  package internal(set) var verdicts: [Verdict]
  /// What has judged it.
  private let checker: Checker
  /// The apps that it is to be about; nil for all.
  var apps: Set<String>?
  /// A verdict for each rule and app of which there is no breach and no doubt.
  var summaries: [Verdict] {
    checker.summaries.filter { verdict in apps?.contains(verdict.app) ?? true }
  }
  /// What caused them, where that says more than they do themselves.
  package internal(set) var causes: [Verdict: Cause] = [:]
  /// Which of them stand under another one: they are told with it, and are not counted.
  var standing: Standing
  /// What no rule is against, and what may still be looked for.
  package internal(set) var remarkable: [Remarkable] = []
  /// How often each rule was broken, undecidable and kept, by app; also beyond the verdicts.
  package internal(set) var grades: [Checker.Grading]
  /// What is said of each rule that there is.
  package let rules: [RuleInfo]
  /// What rules of the project asked for and was not met: a sentence a rule, without a period.
  package let ownRemarks: [String]
  /// The writers, indexed by stream.
  package let writers: [Writer]
  /// The stream of each app's latest process, where those are known.
  var latest: [String: StreamID] = [:]
  /// The events that are gone: what they held was not judged.
  package let lost: EventsLost
  /// Those that a recording of the last part was not to keep.
  package let letGo: UInt64
  /// Whether a process took part that rules can be about.
  package internal(set) var isJudged: Bool
  /// The apps and other processes that rules are about.
  package internal(set) var judgedApps: Set<String> = []
  /// Whether some of the recording could not be read.
  package var hasUnreadable = false
  /// The processes that could not join, and why: a sentence each.
  package let absentees: [String]
  /// The apps that were left out, since others were asked for.
  package internal(set) var otherApps: [String] = []
  /// The apps that have declared no data, of whose losses nothing can be said.
  package internal(set) var dataless: [String]
  /// Whether no app has declared any.
  package internal(set) var hasNoData: Bool
  /// What no rule could look at.
  var unjudged: Unjudged {
    Unjudged(isJudged: isJudged, dataless: dataless, hasNoData: hasNoData)
  }
  /// What was found and does not count, and why.
  package internal(set) var accepted: [Accepted] = []
  /// What was asked of the recording and is not there, a sentence each; it fails the check.
  package var unmet: [String] = []
  /// How fast time ran.
  package let timeScales: TimeScales
  /// What contradicts the order of events of different machines, a sentence each.
  package var clockDoubts: [String] = []
  /// The files of a recording that stands in several; empty for one file.
  package var files: [ReportedFile] = []

  /// What caused what a verdict is about.
  package struct Cause: Sendable {
    /// Where, what, and how long before; nil where the verdict's title says as much.
    var words: Sentence?
    /// Of a hang or a slow launch: what the time went into.
    var time: Time?
    /// The event that is to blame; nil where the verdict's own event is.
    var event: (stream: StreamID, sequence: UInt64, source: SourcePlace?)?
    /// The same, and the verdict's own event where that is to blame.
    var place: (stream: StreamID, sequence: UInt64)?

    /// What main did meanwhile, in nanoseconds on the clock of the recording, which add up.
    struct Time: Sendable {
      /// In a sentence, where it says more than that all of it was one thing.
      var words: Sentence?
      var length: Int64
      var unaccounted: Int64
      /// The longest first.
      var parts: [(words: String, length: Int64)]
    }
  }

  /// One stream, as people read about it.
  package struct Writer: Sendable {
    /// How it is called: `notes#1`.
    package let label: String
    /// How its times lie on the axis of the recording.
    package let clock: StreamClock
    /// What its clock on the wall showed, where that helps to find the line of a log.
    package let wall: WallClock?
    /// Which version of its app it ran; nil where the recording does not say.
    package let version: String?
    /// The profile of the system that it ran under, such as `ios17`; nil where none is known.
    package let system: String?
    /// Which of its events are still there; nil for all that verdicts name.
    package let held: HeldSequences?

    package init(
      _ label: String,
      clock: StreamClock = StreamClock(epoch: HostTime(rawValue: 0)),
      wall: WallClock? = nil,
      version: String? = nil,
      system: String? = nil,
      held: HeldSequences? = nil
    ) {
      self.label = label
      self.version = version
      self.system = system
      self.clock = clock
      self.wall = wall
      self.held = held
    }
  }

  /// What `checker` found in the streams of `writers`.
  ///
  /// A file may know of more events that are lost than the checker has met, of those it was not to
  /// keep, and of processes that could not join.
  package init(
    _ checker: Checker,
    named file: String,
    writers: [Writer] = [],
    lost: EventsLost? = nil,
    letGo: UInt64 = 0,
    absentees: [String] = []
  ) {
    self.file = file
    self.checker = checker
    verdicts = checker.findings
    standing = Standing(of: verdicts, by: checker.infos)
    grades = checker.grades
    rules = checker.infos
    ownRemarks = checker.ownRemarks
    self.writers = writers
    self.lost = lost ?? EventsLost(count: checker.lost)
    self.letGo = letGo
    isJudged = checker.hasJudged
    self.absentees = absentees
    dataless = checker.appsWithoutData
    hasNoData = !checker.hasData
    timeScales = checker.timeScales
  }

  /// The gravest severity of what is violated and stands for itself, or nil.
  package var worst: Severity? { Severity.allCases.last { violations($0) > 0 } }

  /// Why nothing, or not all, could be said of losses, for those who require it; nil where all
  /// could.
  package var missingData: String? {
    guard isJudged else {
      return "\(file): no app joined, so no data was declared (--require-data)"
    }
    guard !dataless.isEmpty else { return nil }
    return "\(file): \(dataless.joined(separator: ", ")) declared no data object, so nothing about "
      + "its losses was judged (--require-data); say Lifetrace.Object(NAME).dirty, save and restore"
  }

  /// How often rules were broken so, without what stands under another violation.
  ///
  /// Where all verdicts of a rule and an app that are kept in words do, those that are only counted are
  /// taken for the same.
  package func violations(_ severity: Severity) -> Int {
    let notes = standing.notes.count { $0.severity == severity }
    let alike = unshown(severity).reduce(0) {
      $0 + (isUnder(severity, $1.app, $1.rule) ? $1.count : 0)
    }
    return grades.reduce(-notes - alike) { $0 + $1.violated[severity] }
  }

  /// Whether all violations of a rule, an app and a severity that are kept in words stand under others.
  func isUnder(_ severity: Severity, _ app: String, _ rule: String) -> Bool {
    let some = verdicts.filter {
      $0.outcome == .violated && $0.severity == severity && $0.app == app && $0.rule == rule
    }
    return !some.isEmpty && some.allSatisfy { standing.head(of: $0) != nil }
  }

  /// How much could not be decided.
  package var undecidable: Int { grades.reduce(0) { $0 + $1.undecidable } }

  /// Violations that are counted without a verdict of their own.
  func unshown(_ severity: Severity) -> [(app: String, rule: String, count: Int)] {
    var shown: [[String]: Int] = [:]
    for verdict in verdicts where verdict.outcome == .violated && verdict.severity == severity {
      shown[[verdict.app, verdict.rule], default: 0] += 1
    }
    return grades.compactMap { grade in
      guard grade.violated[severity] > 0 else { return nil }
      let more = grade.violated[severity] - shown[[grade.app, grade.rule], default: 0]
      return more > 0 ? (grade.app, grade.rule, more) : nil
    }
  }

  /// Doubts that are counted without a verdict of their own.
  var unshownDoubts: [(app: String, rule: String, count: Int)] {
    var shown: [[String]: Int] = [:]
    for verdict in verdicts where verdict.doubt != nil {
      shown[[verdict.app, verdict.rule], default: 0] += 1
    }
    return grades.compactMap { grade in
      let more = grade.undecidable - shown[[grade.app, grade.rule], default: 0]
      return more > 0 ? (grade.app, grade.rule, more) : nil
    }
  }

  /// The rules that nothing broke, nor left in doubt: those with occasion to be broken, and others.
  ///
  /// A rule that one of several apps has broken is not kept by the recording.
  var unbroken: (kept: [String], idle: [String]) {
    let broken = Set(grades.filter { $0.violated.total + $0.undecidable > 0 }.map(\.rule))
      .union(accepted.map(\.verdict.rule))
    let judged = Set(grades.map(\.rule)).subtracting(broken)
    let held = Set(grades.filter { $0.held > 0 }.map(\.rule))
    let rules = rules.map(\.id).filter(judged.contains)
    return (rules.filter(held.contains), rules.filter { !held.contains($0) })
  }
}

extension CheckFacts {
  /// How a stream is called.
  func label(_ stream: StreamID) -> String { writer(stream)?.label ?? "?" }

  func writer(_ stream: StreamID) -> Writer? {
    Int(stream.rawValue) < writers.count ? writers[Int(stream.rawValue)] : nil
  }

  /// Nanoseconds since the start of the recording.
  func sinceStart(_ stream: StreamID, _ time: HostTime) -> Int64 {
    writer(stream)?.clock.trace(time).rawValue ?? time.rawValue
  }

  /// Facts reach further back than what a recording has kept, or can still read.
  func isHeld(_ stream: StreamID, _ sequence: UInt64) -> Bool {
    writer(stream)?.held?.contains(sequence) ?? true
  }

  /// The file in which to look for an event, and how the writer is called there.
  func place(of sequence: UInt64, _ stream: StreamID) -> (path: String, label: String) {
    ReportedFile.place(of: sequence, Int(stream.rawValue), in: files) ?? (file, label(stream))
  }
}
