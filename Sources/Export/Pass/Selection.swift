// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// Which events of a recording a picture shows, where it does not show all.
///
///     var selection = Selection(filter, timeline)
///     selection.look(at: 22, of: 0)
///     selection.isHit        // the event itself is shown
///     selection.isShown      // or the slice that it begins, for the sake of its end
///
/// A slice is written where it begins, when nobody has seen its end yet: so what is selected is looked
/// for before the picture is made, and kept as two bits an event.
struct Selection {
  /// Which events of one stream.
  private struct Chosen {
    var hits: [UInt64]
    /// The begins of slices of which the end is a hit.
    var begins: [UInt64]
    /// Those of them that lie before the recording, by their numbers.
    var older: Set<UInt64> = []

    init(count: Int) {
      hits = Array(repeating: 0, count: (count + 63) / 64)
      begins = hits
    }
  }

  /// What was begun and has not ended.
  private struct Begin: Equatable, BitwiseCopyable {
    var sequence: UInt64
    /// Its index in the stream; -1 for one before the recording.
    var index: Int
  }

  private var streams: [Chosen]
  /// Arrows that begin at a hit; what they lead to has one end only without them.
  private var arrows: Set<UInt64> = []
  /// How many events are selected, in the whole recording.
  private(set) var count = 0
  /// Whether the event that was looked at is selected.
  private(set) var isHit = false
  /// Whether the slice that it begins is shown.
  private(set) var isShown = false

  /// Finds the events that `filter` selects; chunks are skipped as in any search.
  init(_ filter: EventFilter, _ timeline: Timeline) {
    streams = timeline.streams.map { Chosen(count: $0.count) }
    var hits = Hits(of: filter, in: timeline)
    var hasEnds = Array(repeating: false, count: streams.count)
    while let place = try? hits.next() {
      let stream = Int(place.stream.rawValue)
      let rows = timeline.rows(of: stream, holding: place.index)
      guard !rows.isDamaged else { continue }
      streams[stream].hits.set(place.index)
      count += 1
      if KindSet.sliceEnds.contains(rows[place.index].kind) { hasEnds[stream] = true }
    }
    for stream in streams.indices where hasEnds[stream] { findBegins(timeline, stream) }
  }

  /// Goes on to an event.
  @inline(__always)
  mutating func look(at index: Int, of stream: Int) {
    isHit = streams[stream].hits.has(index)
    isShown = isHit || streams[stream].begins.has(index)
  }

  /// Goes on to an event before the recording, which only a keyframe knows.
  mutating func look(before sequence: UInt64, of stream: Int) {
    isHit = false
    isShown = streams[stream].older.contains(sequence)
  }

  /// Leaves out the arrows that end at a hit and begin at none.
  mutating func keep(_ instant: inout Instant) {
    for arrow in instant.begins.all where arrows.count < MessageFlows.flowsMax {
      arrows.insert(arrow)
    }
    var ends = Flows()
    for arrow in instant.ends.all where arrows.contains(arrow) { ends.append(arrow) }
    instant.ends = ends
  }

  /// Marks the begins of which the end is a hit, in the chunks that may hold one of both.
  private mutating func findBegins(_ timeline: Timeline, _ stream: Int) {
    let facts = timeline.streams[stream]
    var spans = FlatTable<SpanKey, Begin>()
    var resources = FlatTable<ResourceKey, Begin>()
    let keyframe = timeline.keyframe(0, of: stream)
    if !keyframe.isEmpty, let life = timeline.source.state(decoding: keyframe) {
      for event in life.begun(of: facts.id) {
        take(event, Begin(sequence: event.sequence, index: -1), &spans, &resources, timeline.names)
      }
    }
    for number in facts.chunks.indices where !facts.chunks[number].kinds.isDisjoint(with: .slices) {
      var index = facts.firstIndices[number]
      timeline.pass(index..<facts.firstIndices[number + 1], of: stream) { events, names in
        guard timeline.canRead(number, of: stream) else { return false }
        for place in events.indices {
          let event = events[place]
          let begin = Begin(sequence: event.sequence, index: index)
          if let ended = take(event, begin, &spans, &resources, names),
            streams[stream].hits.has(index)
          {
            if ended.index >= 0 {
              streams[stream].begins.set(ended.index)
            } else {
              streams[stream].older.insert(ended.sequence)
            }
          }
          index += 1
        }
        return true
      }
    }
  }

  /// Keeps what an event begins; what it ends.
  @discardableResult
  private func take(
    _ event: Event,
    _ begin: Begin,
    _ spans: inout FlatTable<SpanKey, Begin>,
    _ resources: inout FlatTable<ResourceKey, Begin>,
    _ names: Names
  ) -> Begin? {
    if let opening = event.kind.opening {
      guard let place = spans.place(of: SpanKey(event.identity, opening)) else { return nil }
      defer { spans.remove(at: place) }
      return spans.entries[place].value
    }
    if event.kind == .resourceRelease {
      guard let place = resources.place(of: ResourceKey(releasedBy: event, names)) else {
        return nil
      }
      defer { resources.remove(at: place) }
      return resources.entries[place].value
    }
    switch SliceRoute(event, names) {
    case nil: break
    case .group(.resources) where resources.count < LifeState.openMax:
      resources.insert(begin, for: ResourceKey(acquiredBy: event, names))
    case .group(.resources): break
    case _ where spans.count < LifeState.openMax:
      spans.insert(begin, for: SpanKey(event.identity, event.kind))
    default: break
    }
    return nil
  }
}

extension [UInt64] {
  /// A bit of a set of small numbers.
  @inline(__always)
  fileprivate func has(_ bit: Int) -> Bool { self[bit >> 6] >> UInt64(bit & 63) & 1 != 0 }

  fileprivate mutating func set(_ bit: Int) { self[bit >> 6] |= 1 << UInt64(bit & 63) }
}
