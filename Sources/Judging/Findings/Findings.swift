// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
package import LifetraceTimeline

/// Everything the rules say about a recording, checked once.
package struct Findings: Sendable {
  /// More verdicts than this have no place (32 bytes each); they are counted.
  package static let placesMax = 2_000_000

  /// Violations in order of place.
  package let violations: FindingList
  /// What could not be decided, in order of place.
  package let undecidable: FindingList
  /// By rule, the violations beyond ``placesMax``: their places are unknown.
  package let unplaced: [(rule: String, count: Int)]
  /// What no rule could look at.
  package let unjudged: Unjudged
  /// Whether some of the recording could not be read.
  package let hasUnreadable: Bool

  /// Runs the rules over all streams, one app life after the other.
  ///
  /// `progress` is called after some events, ``JudgingStep/eventsMax`` at most, with the number of those
  /// judged so far.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so.
  package init(
    _ timeline: Timeline,
    by judgement: Judgement,
    placesMax: Int = Findings.placesMax,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) {
    var checker = judgement.checker
    try timeline.tellMessages(to: &checker, isInterrupted: isInterrupted)
    var judge = Judge(timeline, checker)
    judge.collectPlaces()
    var collected = FindingCollector(timeline, placesMax: placesMax)
    var done = 0
    try judge.judge(timeline.lives) { checker, step throws(SearchInterrupted) in
      if let events = step.events {
        if isInterrupted() { throw SearchInterrupted() }
        done += events
        progress(done)
      }
      if case .judged = step { return true }
      try collected.add(checker.takePlaces(), isInterrupted)
      return true
    }
    let words = collected.keys.mapValues(judge.checker.verdict)
    try self.init(collected, words, judge.checker, judge.hasUnreadable, isInterrupted)
  }

  /// What was collected, `words` of the verdicts that were kept by their turn, and what `checker` counted.
  init(
    _ collected: FindingCollector,
    _ words: [UInt32: Verdict],
    _ checker: Checker,
    _ hasUnreadable: Bool,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) {
    (violations, undecidable) = try collected.finish(
      kept: words,
      checker.infos.map(\.id),
      isInterrupted
    )
    self.hasUnreadable = hasUnreadable
    unjudged = Unjudged(
      isJudged: checker.hasJudged,
      dataless: checker.appsWithoutData,
      hasNoData: !checker.hasData
    )
    var unplaced: [String: Int] = [:]
    for count in checker.counts { unplaced[count.rule, default: 0] += count.violated }
    for finding in violations { unplaced[finding.rule, default: 0] -= 1 }
    self.unplaced = unplaced.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// The violation to open at: the first of the gravest.
  package var gravest: Finding? {
    let most = violations.map(\.severity).max()
    return violations.first { $0.severity == most }
  }
}
