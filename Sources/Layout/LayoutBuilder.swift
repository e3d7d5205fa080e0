// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceLifecycle
package import LifetraceReplay
package import LifetraceTimeline
package import LifetraceTrace

extension Layout {
  /// What happens between two instants, of all processes or of some.
  ///
  /// One pass over the events of the span, a stream after the other: about 5 million events a second.
  /// Memory follows `itemsMax`, above which a lane loses detail, and the number of lanes.
  /// - Throws: ``SearchInterrupted`` when the player is interrupted.
  package init(
    of player: Player,
    _ span: ClosedRange<Int64>,
    _ findings: FindingList? = nil,
    streams wanted: Set<StreamID>? = nil,
    itemsMax: Int = Lane.itemsMax,
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) {
    self.span = span
    var occupancy = Occupancy(span)
    let timeline = player.timeline
    var flows = FlowFinder(timeline, wanted ?? Set(timeline.streams.map(\.id)))
    let first = timeline.position(at: TraceTime(rawValue: span.lowerBound - 1))
    let last = timeline.position(at: TraceTime(rawValue: span.upperBound))
    for members in Self.families(player) {
      var builder = GroupBuilder(player, span, members.name, itemsMax: itemsMax)
      for stream in members.streams {
        let id = timeline.streams[stream].id
        if let wanted, !wanted.contains(id) { continue }
        let range = player.range(of: id, from: first, to: last)
        if player.isInterrupted() { throw SearchInterrupted() }
        guard !range.isEmpty || builder.isAlive(id, at: range.lowerBound) else { continue }
        let before = events
        try builder.add(id, range, &occupancy, &flows) { progress(before + $0) }
        events += range.count
      }
      guard let group = builder.finish() else {
        if !members.streams.isEmpty { quiet += 1 }
        continue
      }
      groups.append(group)
    }
    (self.flows, flowsLeftOut) = flows.finish()
    gaps = occupancy.gaps()
    if let findings { violations = Self.signs(findings, in: span) }
  }

  /// The violations whose event lies in the span.
  private static func signs(_ findings: FindingList, in span: ClosedRange<Int64>) -> [Sign] {
    findings[findings.placed].compactMap { finding in
      guard let time = finding.time?.rawValue, span.contains(time) else { return nil }
      return Sign(
        number: finding.number,
        rule: finding.rule,
        severity: finding.severity,
        place: Place(stream: finding.stream, sequence: finding.sequence, time: time),
        object: finding.object
      )
    }
  }

  /// The streams of each app, and of each other process, in order of their start.
  private static func families(_ player: Player) -> [(name: String, streams: [Int])] {
    let streams = player.timeline.streams
    var families: [(name: String, streams: [Int])] = []
    var places: [Int: Int] = [:]
    for stream in player.timeline.startOrder where streams[stream].count > 0 {
      if let before = player.labels.previous(of: stream), let place = places[before] {
        families[place].streams.append(stream)
        places[stream] = place
      } else {
        let label = player.labels.labels[stream]
        let name = label.lastIndex(of: "#").map { String(label[..<$0]) } ?? label
        places[stream] = families.count
        families.append((name, [stream]))
      }
    }
    // Several processes of one name are told apart by their labels.
    let named = Dictionary(grouping: families.indices) { families[$0].name }
    for places in named.values where places.count > 1 {
      for place in places {
        families[place].name = player.labels.labels[families[place].streams[0]]
      }
    }
    return families
  }
}

extension Player {
  /// The events of a stream between two positions.
  fileprivate func range(of stream: StreamID, from: Position, to: Position) -> Range<Int> {
    let number = Int(stream.rawValue)
    return from.cursors[number]..<max(from.cursors[number], to.cursors[number])
  }
}
