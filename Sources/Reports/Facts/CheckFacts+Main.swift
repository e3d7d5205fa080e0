// SPDX-License-Identifier: Apache-2.0
package import LifetraceReplay
package import LifetraceTrace

extension CheckFacts {
  /// What no rule is against, and what may still be looked for: shown by `check --verbose`.
  package struct Remarkable: Sendable {
    /// The stream it is in.
    package let stream: StreamID
    /// The callbacks that took longest on main.
    package let calls: [LongCall]
    /// The changes of the system that nobody there observes.
    package let unheard: [UnheardChange]
  }

  /// More streams are not looked at.
  private static let remarkableMax = 64
  /// As many callbacks of a stream are named.
  private static let callsMax = 3

  /// Looks for what took long, and what nobody has heard of, in the streams that rules are about.
  mutating func findRemarkable(in player: Player) {
    for stream in player.timeline.streams.indices {
      guard remarkable.count < Self.remarkableMax else { return }
      guard player.timeline.streams[stream].attributes.role.isJudged else { continue }
      let id = StreamID(rawValue: UInt32(stream))
      let found = Remarkable(
        stream: id,
        calls: player.longestCalls(of: id, max: Self.callsMax),
        unheard: player.unheardChanges(in: id)
      )
      if !found.calls.isEmpty || !found.unheard.isEmpty { remarkable.append(found) }
    }
  }

  /// It in lines.
  var remarkableLines: [String] {
    var (long, unheard): ([String], [String]) = ([], [])
    for one in remarkable {
      let writer = label(one.stream)
      long += one.calls.map { call in
        let at = call.source.map { " at \($0)" } ?? ""
        return "  \(writer):\(call.sequence)  \(call.callback)\(at)  \(call.sentence)"
      }
      unheard += one.unheard.map { change in
        "  \(writer):\(change.sequence)  \(change.type), \(Quantity.count(change.count, "time"))"
      }
    }
    return (long.isEmpty ? [] : ["longest on main, whether or not a rule is against it:"] + long)
      + (unheard.isEmpty
        ? []
        : ["delivered, and observed by nobody (only what you keep of it can be stale):"] + unheard)
  }
}
