// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceRules
package import LifetraceTimeline

extension Player {
  /// As many retellings are remembered; the oldest go first.
  private static let retellingsMax = 16

  /// The violation at which a walk stops next; those of one event are stops of their own.
  ///
  /// Nil where none whose event can be gone to lies on the way. It does not move.
  package func nextViolation(_ direction: Direction, in findings: Findings) -> Finding? {
    nextFinding(direction, in: findings.violations) { _ in true }
  }

  /// The same of any findings, and only of those that are wanted.
  package func nextFinding(
    _ direction: Direction,
    in all: FindingList,
    where isWanted: (Finding) -> Bool
  ) -> Finding? {
    let here = all.range(at: here, in: timeline)
    // A violation's number is the index of the one behind it.
    let number = violation.flatMap { $0.isViolation == all.first?.isViolation ? $0.number : nil }
    var index =
      direction == .forward ? number ?? here.upperBound : (number ?? here.lowerBound + 1) - 2
    while all.placed.contains(index) {
      let finding = all[index]
      if isWanted(finding) { return finding }
      index += direction == .forward ? 1 : -1
    }
    return nil
  }

  /// Goes to a violation, and stands there because of it; false where its event is missing.
  @discardableResult
  package func seek(to finding: Finding) -> Bool {
    guard let place = timeline.place(of: finding.stream, sequence: finding.sequence) else {
      return false
    }
    seek(to: place)
    violation = finding
    return true
  }

  /// The rule's verdict on a finding; where only its place was kept, it is judged once more.
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
    return told[finding] ?? .unreadable(finding, by: judgement)
  }

  /// What the rules say; computed at the first call.
  ///
  /// `progress` is called with the number of events judged so far.
  package func findings(_ judgement: Judgement, progress: (Int) -> Void = { _ in })
    throws(SearchInterrupted) -> Findings
  {
    if let judged, judged.by == judgement { return judged.findings }
    let found = try judge(judgement, progress)
    judged = (judgement, found)
    judgedCount = timeline.count
    return found
  }

  private func judge(
    _ judgement: Judgement,
    _ progress: (Int) -> Void
  ) throws(SearchInterrupted) -> Findings {
    guard awaitMore != nil else {
      return try Findings(
        timeline,
        by: judgement,
        isInterrupted: isInterrupted,
        progress: progress
      )
    }
    var growing = self.growing ?? GrowingFindings(judgement)
    if growing.judgement != judgement { growing = GrowingFindings(judgement) }
    // It is held once: else a copy would go on.
    self.growing = nil
    defer { self.growing = growing }
    return try growing.findings(of: timeline, isInterrupted: isInterrupted, progress: progress)
  }

  /// What the rules say by now of a recording that has grown; they go on where they were.
  ///
  /// The violation that it was sent to is looked for again, as its number may be another.
  package func judgeAnew(
    _ judgement: Judgement,
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) -> Findings {
    guard judged != nil, judgedCount != timeline.count else {
      return try findings(judgement, progress: progress)
    }
    let before = judged
    judged = nil
    let found: Findings
    do throws(SearchInterrupted) {
      found = try findings(judgement, progress: progress)
    } catch {
      judged = before
      throw error
    }
    retellings.removeAll()
    violation = violation.flatMap { old in
      found.violations.first {
        $0.stream == old.stream && $0.sequence == old.sequence && $0.rule == old.rule
      }
    }
    return found
  }

  /// What no rule could look at, as far as the rules have been asked.
  package var unjudged: Unjudged? { judged?.findings.unjudged }

  /// Whether the rules were asked so, and what they said is at hand.
  package func hasJudged(by judgement: Judgement) -> Bool { judged?.by == judgement }

  /// Takes over what was found in the same recording by another player, or an earlier time.
  package func adopt(_ findings: Findings, by judgement: Judgement) {
    judged = (judgement, findings)
    judgedCount = timeline.count
  }
}
