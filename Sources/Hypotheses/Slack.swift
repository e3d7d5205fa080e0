// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace

/// By how much one time would have to be another for a rule to say something else, all other times
/// being what they are.
///
///     let slack = try Slack(of: finding, by: judgement, on: timeline)
///     slack.rows[0].change          // 180 ms to 420 ms
///
/// It follows from what the rule has compared (``Margin``): the length that it measured and what it
/// allows. Where the clock is not exact, the answer is a range. It says nothing of what the app would
/// have done: the rest of the recording stays as it is.
package struct Slack: Sendable {
  /// One length of time that a rule has measured.
  package struct Row: Sendable {
    package var margin: Margin
    /// The id of the rule.
    package var rule: String

    /// By how much the length has to change, in nanoseconds on the clock of the recording; nil where no
    /// time decides.
    ///
    /// From the least that may change what the rule says to the least that surely does. What was kept takes more than the lower bound to be broken; what is broken takes as much less.
    package var change: ClosedRange<Int64>? {
      switch margin.isKept {
      case true?: margin.keptUpTo - margin.length...margin.brokenAbove - margin.length
      case false?: margin.length - margin.brokenAbove...margin.length - margin.keptUpTo
      case nil: nil
      }
    }
  }

  /// What was measured: of one finding all, else the nearest first.
  package let rows: [Row]
  /// How many lengths of time kept their rules, those that are not listed too; 0 for one finding.
  package let keptCount: Int

  /// What rules were nearest to be broken and are kept, at most some of each rule.
  ///
  /// It takes as long as a check. `progress` hears how many events are judged.
  package init(
    _ timeline: Timeline,
    by judgement: Judgement,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) {
    var checker = judgement.checker
    checker.measureNearest()
    try self.init(timeline, timeline.lives, checker, isInterrupted, progress)
  }

  /// What a rule has measured where it is broken; nothing where it rests on no length of time.
  ///
  /// It takes as long as a check of the lives of that app by that rule.
  package init(
    of finding: Finding,
    by judgement: Judgement,
    on timeline: Timeline,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) {
    let rules = (try? RuleSelection(finding.rule, of: judgement.table)) ?? judgement.rules
    var checker = Judgement(profile: judgement.profile, rules: rules, of: judgement.table).checker
    checker.measure(rule: finding.ruleIndex, of: finding.stream, at: finding.sequence)
    let lives = timeline.lives.filter { life in
      life.incarnations.contains { $0.index == Int(finding.stream.rawValue) }
    }
    try self.init(timeline, lives, checker, isInterrupted, progress)
  }

  private init(
    _ timeline: Timeline,
    _ lives: [AppLife],
    _ checker: Checker,
    _ isInterrupted: () -> Bool,
    _ progress: (Int) -> Void
  ) throws(SearchInterrupted) {
    var checker = checker
    try timeline.tellMessages(to: &checker, isInterrupted: isInterrupted)
    var judge = Judge(timeline, checker)
    var done = 0
    try judge.judge(lives) { _, step throws(SearchInterrupted) in
      guard let events = step.events else { return true }
      if isInterrupted() { throw SearchInterrupted() }
      done += events
      progress(done)
      return true
    }
    let (margins, count) = judge.checker.margins
    let ids = judge.checker.infos.map(\.id)
    rows = margins.map { Row(margin: $0, rule: ids[$0.rule]) }
    keptCount = count
  }
}
