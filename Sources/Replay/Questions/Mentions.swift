// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
package import LifetraceTimeline
import LifetraceTrace

/// Events of a timeline whose lines show a text, those that get their name from their begin included.
///
///     try player.find(Mentions("upload", player).filter, .forward)
package final class Mentions {
  /// Ends that are named by a begin are kept for no more chunks.
  private static let chunksMax = 512

  private let search: WordSearch
  private let player: Player
  private var ends: [UInt64: Set<UInt64>] = [:]

  /// Looks for `text` in what `player` walks.
  package init(_ text: String, _ player: Player) {
    search = WordSearch(text)
    self.player = player
  }

  /// What finds them.
  package var filter: EventFilter {
    var filter = EventFilter { [self] event, names in
      search.shows(event, names) || isNamedByBegin(event, names)
    }
    filter.mayOccur = { [search] in search.mayShow(among: $0) }
    filter.names = { [self] in search.names(holding: player.names) }
    return filter
  }

  /// Whether the event ends what has the text in its name.
  private func isNamedByBegin(_ event: Event, _ names: Names) -> Bool {
    guard search.hitsSiteNames, event.kind.begin != nil, names[event.site].name == .empty else {
      return false
    }
    let stream = Int(event.stream.rawValue)
    guard let index = player.timeline.streams[stream].index(ofSequence: event.sequence) else {
      return false
    }
    let chunk = player.timeline.streams[stream].chunk(holding: index)
    let key = UInt64(stream) << 32 | UInt64(chunk)
    if let known = ends[key] { return known.contains(event.sequence) }
    if ends.count >= Self.chunksMax { ends.removeAll() }
    let found = namedEnds(chunk, of: stream)
    ends[key] = found
    return found.contains(event.sequence)
  }

  /// The ends in a chunk of what has the text in its name, begun there or before.
  private func namedEnds(_ number: Int, of stream: Int) -> Set<UInt64> {
    let before = player.keeper.state(beforeChunk: number, of: stream)
    var open = Set(
      before.spans.entries.filter { search.isNamed($0.value.site) }.map(\.key)
    )
    var found: Set<UInt64> = []
    player.timeline.eachEvent(ofChunk: number, of: stream) { event, _ in
      if event.kind.info?.ending != nil {
        let key = SpanKey(event.identity, event.kind)
        if search.isNamed(event.site) { open.insert(key) } else { open.remove(key) }
      } else if let begin = event.kind.begin,
        open.remove(SpanKey(event.identity, begin)) != nil
      {
        found.insert(event.sequence)
      }
    }
    return found
  }
}
