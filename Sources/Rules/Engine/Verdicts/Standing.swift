// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Which verdicts stand for themselves, and which under another one: one mistake breaks several rules.
///
///     let standing = Standing(of: verdicts, by: checker.infos)
///     standing.head(of: verdict)        // the one it is a note under; nil for one that stands for itself
///     standing.notes(under: verdict)
///
/// Which rules say the same mistake is told by ``RuleInfo/under``: two violations of them are of one
/// where witnesses of both are the same event, such as the begin of one task. The graver one is the head,
/// of two that are as grave the one that explains the other.
package struct Standing: Sendable {
  private var heads: [Verdict: Verdict] = [:]
  private var under: [Verdict: [Verdict]] = [:]

  private struct Thing: Hashable {
    let stream: StreamID
    let sequence: UInt64
  }

  /// `rules` is the table that has judged; cost: a look at each witness, for each rule that another one names.
  package init(of verdicts: [Verdict], by rules: [RuleInfo]) {
    var above: [Int: Int] = [:]
    var graver: [(weak: Int, grave: Int)] = []
    for info in rules {
      guard let relation = info.under else { continue }
      for (note, better) in Self.pairs(of: info.id, relation, in: verdicts) {
        if verdicts[better].severity >= verdicts[note].severity {
          above[note] = better
        } else {
          graver.append((better, note))
        }
      }
    }
    for (weak, grave) in graver where above[weak] == nil { above[weak] = grave }
    for note in above.keys.sorted() {
      var head = note
      while let next = above[head] { head = next }
      heads[verdicts[note]] = verdicts[head]
      under[verdicts[head], default: []].append(verdicts[note])
    }
  }

  /// The violations of `rule` that a better one is found for, with the first of those.
  private static func pairs(
    of rule: String,
    _ relation: RuleInfo.Under,
    in verdicts: [Verdict]
  ) -> [(note: Int, better: Int)] {
    var known: [String: [Thing: Int]] = [:]
    var notes: [(place: Int, things: [Thing])] = []
    for (place, verdict) in verdicts.enumerated() where verdict.outcome == .violated {
      let isBetter = relation.rules.contains(verdict.rule)
      guard isBetter || verdict.rule == rule else { continue }
      let things = verdict.witnesses.filter { relation.sharing.contains($0.label) }.map {
        Thing(stream: $0.stream, sequence: $0.sequence)
      }
      guard isBetter else {
        notes.append((place, things))
        continue
      }
      for thing in things where known[verdict.rule]?[thing] == nil {
        known[verdict.rule, default: [:]][thing] = place
      }
    }
    return notes.compactMap { place, things in
      for better in relation.rules {
        guard let all = known[better] else { continue }
        if let head = things.lazy.compactMap({ all[$0] }).first { return (place, head) }
      }
      return nil
    }
  }

  /// The verdict under which this one is a note; nil for one that stands for itself.
  package func head(of verdict: Verdict) -> Verdict? { heads[verdict] }

  /// What stands under it, in the order of the verdicts.
  package func notes(under verdict: Verdict) -> [Verdict] { under[verdict] ?? [] }

  /// All that stand under another one.
  package var notes: [Verdict] { Array(heads.keys) }
}
