// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// A rule: its description, and the pattern that judges it.
///
///     static let handler = Rule(
///       "BT07", "Every background task has an expiration handler.", source: "…", fix: "…",
///       Each(attention: [.event(.taskBegin)]) { event, _, _ in … } says: { scene in … })
///
/// It is a value: the built-in ones stand in the files of the catalogue, one a family.
struct Rule: Sendable {
  let info: RuleInfo
  /// Whether work that the recording does not hold could have prevented a breach: a save, a release,
  /// the end of a task.
  let restsOnAllWork: Bool
  /// Whether it asks what became of messages in other processes.
  let looksAcross: Bool
  /// Whether it asks what other processes did with a file.
  let looksAtSharers: Bool
  /// What its pattern wants to see.
  let attention: [Trigger]
  /// Its pattern, ready for a new stream.
  let code: PatternCode

  init(
    _ id: String,
    _ statement: String,
    source: String,
    severity: Severity = .error,
    fix: String,
    roles: RuleInfo.Roles = .apps,
    restsOnAllWork: Bool = false,
    looksAcross: Bool = false,
    looksAtSharers: Bool = false,
    thresholds: [String] = [],
    under: RuleInfo.Under? = nil,
    _ pattern: some Pattern
  ) {
    info = RuleInfo(
      id,
      statement,
      source: source,
      severity: severity,
      fix: fix,
      roles: roles,
      thresholds: thresholds,
      under: under
    )
    self.restsOnAllWork = restsOnAllWork
    self.looksAcross = looksAcross
    self.looksAtSharers = looksAtSharers
    attention = pattern.attention
    code = PatternCode.of(pattern)
  }
}

/// How a rule judges a stream: a small machine over the events that it pays attention to.
///
/// It sees the folded state as it was *before* the event, and says through the context what it
/// finds. One value lives for one stream.
protocol Pattern: Sendable {
  /// What it wants to see.
  var attention: [Trigger] { get }

  /// Looks at an event that it wants to see.
  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  )

  /// The recording of this stream ends behind `last`; judges what is still open.
  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  )
}

/// A look at an event, with the facts before it and what names stand for.
typealias Look<Result> =
  @Sendable (borrowing Event, borrowing RuleContext, borrowing Names) -> Result

extension Pattern {
  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {}
}
