// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace

/// Verdicts of one rule on one stream in words, which the check had only counted.
///
/// That rule is run once more over the app's life, up to there. It takes as long as the check of
/// that part with one rule, and gives the verdicts around the one that is asked for as well.
package struct Retelling: Sendable {
  /// This many in front of the one that is asked for, and as many behind it, are made at once.
  package static let reach = 128

  /// How they were judged.
  package let judgement: Judgement
  /// By their turn among all verdicts, as findings have it; each judgement counts anew.
  private let verdicts: [UInt32: Verdict]

  /// Makes the verdict of `finding`, one of `findings`, and its neighbours.
  package init(
    of finding: Finding,
    in findings: Findings,
    by judgement: Judgement,
    on timeline: Timeline,
    isInterrupted: () -> Bool,
    progress: (Int) -> Void
  ) throws(SearchInterrupted) {
    let list = finding.isViolation ? findings.violations : findings.undecidable
    let all = list.given(like: finding)
    let turn = all.partitioningIndex { $0 >= finding.given }
    let turns = max(0, turn - Self.reach)..<min(all.count, turn + Self.reach)
    var checker = Checker.retelling(
      finding.ruleIndex,
      turns,
      isViolation: finding.isViolation,
      of: finding.stream,
      in: judgement.table,
      profile: judgement.profile
    )
    try timeline.tellMessages(to: &checker, isInterrupted: isInterrupted)
    var judge = Judge(timeline, checker)
    judge.collectPlaces()
    var kept: [VerdictKey] = []
    let number = Int(finding.stream.rawValue)
    var isReached = false
    var done = 0
    let life = timeline.lives.filter { $0.incarnations.contains { $0.index == number } }
    try judge.judge(life) { checker, step throws(SearchInterrupted) in
      if let events = step.events {
        if isInterrupted() { throw SearchInterrupted() }
        done += events
        progress(done)
      }
      kept += checker.takePlaces().compactMap(\.kept)
      // The next lives may report what was lost in one.
      let isOpen = checker.retold < turns.upperBound || checker.awaitsLaunch
      switch step {
      case .opened(let window):
        if window.index == number { isReached = true }
        return true
      // What is said of them may go on up to the end of the chunk.
      case .judged: return true
      case .passed: return isOpen
      case .closed: return !isReached || checker.awaitsLaunch
      }
    }
    let told = kept.map(judge.checker.verdict)
    self.judgement = judgement
    verdicts = Dictionary(uniqueKeysWithValues: zip(all[turns], told))
  }

  /// What the rule says of a finding; where its events can be read no more, just that.
  package subscript(finding: Finding) -> Verdict? { verdicts[finding.given] }
}

extension Verdict {
  /// What is left of the verdict of `finding` where its events can be read no more.
  package static func unreadable(_ finding: Finding, by judgement: Judgement) -> Verdict {
    .unreadable(
      judgement.table.infos[finding.ruleIndex],
      finding.severity,
      of: finding.stream,
      finding.sequence
    )
  }
}
