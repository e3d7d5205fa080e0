// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace

/// Verdicts of one rule on one stream in words, which the check had only counted.
struct Retelling {
  /// So many in front of the one that is asked for, and as many behind it, are told at once.
  static let reach = 128
  /// As many retellings are remembered; the oldest go first.
  static let countMax = 16

  let judgement: Judgement
  /// By their turn among all verdicts, as findings have it; each judgement counts anew.
  let verdicts: [UInt32: Verdict]
}

extension Player {
  /// What the rule says of a finding; where only its place was kept, that rule is run once more
  /// over that life.
  ///
  /// That takes as long as the check of the one stream, and tells those around it as well.
  package func verdict(
    of finding: Finding,
    by judgement: Judgement,
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) -> Verdict {
    if let kept = finding.kept { return kept }
    for known in retellings where known.judgement == judgement {
      if let verdict = known.verdicts[finding.given] { return verdict }
    }
    let findings = try findings(judgement)
    let list = finding.isViolation ? findings.violations : findings.undecidable
    let (verdict, retelling) = try retell(finding, list.given(like: finding), judgement, progress)
    retellings.insert(retelling, at: 0)
    retellings = Array(retellings.prefix(Retelling.countMax))
    return verdict
  }

  private func retell(
    _ finding: Finding,
    _ all: [UInt32],
    _ judgement: Judgement,
    _ progress: (Int) -> Void
  ) throws(SearchInterrupted) -> (Verdict, Retelling) {
    let turn = all.partitioningIndex { $0 >= finding.given }
    let turns = max(0, turn - Retelling.reach)..<min(all.count, turn + Retelling.reach)
    var checker = Checker.retelling(
      finding.ruleIndex,
      turns,
      isViolation: finding.isViolation,
      of: finding.stream,
      profile: judgement.profile
    )
    checker.collectPlaces()
    var kept: [VerdictKey] = []
    let number = Int(finding.stream.rawValue)
    let life = labels.lives.first { $0.incarnations.contains { $0.index == number } }
    var done = 0
    // What was lost in one life, the next ones may tell of.
    for incarnation in (life?.incarnations ?? []).drop(while: { $0.index != number }) {
      guard incarnation.index == number || checker.awaitsLaunch else { break }
      let state = state(of: timeline.streams[incarnation.index].id, after: 0)
      try checker.run(incarnation, of: timeline, from: state) {
        checker,
        events throws(SearchInterrupted) in
        if isInterrupted() { throw SearchInterrupted() }
        kept += checker.takePlaces().compactMap(\.kept)
        done += events
        progress(done)
        return checker.retold < turns.upperBound || checker.awaitsLaunch
      }
    }
    let verdicts = (kept + checker.takePlaces().compactMap(\.kept)).map(checker.verdict)
    let own = turn - turns.lowerBound
    return (
      verdicts.indices.contains(own)
        ? verdicts[own]
        : .unreadable(finding.ruleIndex, finding.severity, of: finding.stream, finding.sequence),
      Retelling(
        judgement: judgement,
        verdicts: Dictionary(uniqueKeysWithValues: zip(all[turns], verdicts))
      )
    )
  }
}
