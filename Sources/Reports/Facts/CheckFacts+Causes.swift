// SPDX-License-Identifier: Apache-2.0
package import LifetraceReplay
import LifetraceRules
import LifetraceTrace
import LifetraceWords

extension CheckFacts {
  /// The causes of no more verdicts than this are looked for, the gravest first: each takes the
  /// states at a dozen events.
  private static let causesMax = 1_000

  /// Looks for the causes of what was found, in the recording of `player`, whose streams have the
  /// numbers of those that were judged.
  package mutating func findCauses(in player: Player) {
    for verdict in verdicts.lazy.filter({ $0.outcome == .violated }).prefix(Self.causesMax) {
      guard let chain = player.causes(of: verdict) else { continue }
      var cause = Cause(words: player.cause(chain, of: verdict))
      if let parts = player.breakdown(of: verdict) {
        let words =
          [player.sentence(parts, of: verdict)].compactMap(\.self)
          + player.meanwhile(in: parts, of: verdict)
        cause.time = Cause.Time(
          words: words.dropFirst().reduce(words.first) { ($0 ?? "") + " " + $1 },
          length: parts.length,
          unaccounted: parts.unaccounted,
          parts: parts.parts.map { ("\($0.words(player.names))", $0.length) }
        )
      }
      let event = player.timeline.event(at: chain.cause)
      cause.place = (event.stream, event.sequence)
      if !chain.isOwnCause {
        cause.event = (event.stream, event.sequence, SourcePlace(event.site, player.names))
      }
      causes[verdict] = cause
    }
  }
}
