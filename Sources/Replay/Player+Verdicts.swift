// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceRules
package import LifetraceTimeline

extension Player {
  /// As many retellings are remembered; the oldest go first.
  private static let retellingsMax = 16

  /// What the rule says of a finding; where only its place was kept, it is told once more.
  package func verdict(
    of finding: Finding,
    by judgement: Judgement,
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) -> Verdict {
    if let kept = finding.kept { return kept }
    for known in retellings where known.judgement == judgement {
      if let verdict = known[finding] { return verdict }
    }
    let told = try Retelling(
      of: finding,
      in: findings(judgement),
      by: judgement,
      on: timeline,
      isInterrupted: isInterrupted,
      progress: progress
    )
    retellings.insert(told, at: 0)
    retellings = Array(retellings.prefix(Self.retellingsMax))
    return told[finding] ?? .unreadable(finding)
  }

  /// What the rules say; computed at the first call.
  ///
  /// `progress` is told how many events have been judged so far.
  package func findings(_ judgement: Judgement, progress: (Int) -> Void = { _ in })
    throws(SearchInterrupted) -> Findings
  {
    if let judged, judged.by == judgement { return judged.findings }
    let found = try Findings(
      timeline,
      by: judgement,
      isInterrupted: isInterrupted,
      progress: progress
    )
    judged = (judgement, found)
    return found
  }

  /// Takes over what another player found in the same recording.
  package func adopt(_ findings: Findings, by judgement: Judgement) {
    judged = (judgement, findings)
  }
}
