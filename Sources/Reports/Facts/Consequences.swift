// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTrace

/// Which verdicts follow from another one of the same stream: one mistake breaks several rules.
///
///     Consequences(of: verdicts).origin[verdict]      // the one that explains it, or nil
///
/// They are about the same background task, or the same edit: they have its event in common. Which of
/// their rules explains the others, one of the chains below says.
struct Consequences: Sendable {
  /// By verdict, the one that explains it.
  private(set) var origin: [Verdict: Verdict] = [:]

  /// Rules of which the earlier ones explain the later ones, and the witnesses that say what they are
  /// about.
  private static let chains: [(rules: [String], about: Set<String>)] = [
    (["BT03", "DL07", "BT01", "DL05", "DL06"], ["first", "begin"]),
    (["DS10", "DS07", "DS12"], ["edit", "written over"]),
  ]

  private struct Thing: Hashable {
    let stream: StreamID
    let sequence: UInt64
  }

  /// What follows from what among `verdicts`; cost: one look at each witness, for each chain.
  init(of verdicts: [Verdict]) {
    for chain in Self.chains {
      var first: [Thing: Verdict] = [:]
      for rule in chain.rules {
        for verdict in verdicts where verdict.rule == rule && verdict.outcome == .violated {
          let things = verdict.witnesses.filter { chain.about.contains($0.label) }.map {
            Thing(stream: $0.stream, sequence: $0.sequence)
          }
          let known = things.lazy.compactMap { first[$0] }.first { $0.rule != rule }
          if let known { origin[verdict] = origin[known] ?? known }
          for thing in things where first[thing] == nil { first[thing] = verdict }
        }
      }
    }
  }
}
