// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTimeline
import LifetraceTrace

/// The state of any stream after any of its events.
///
///     keeper.state(of: 0, after: 1_000).appState
///
/// It starts from the keyframe of the chunk that holds the place, or, where a
/// chunk has none, from the nearest one before; the first chunk of an
/// incarnation starts from what the incarnation before it left. Who goes forward has the state run on; who
/// steps back has checkpoints made, for as many chunks as there is room for: fewer where a state holds
/// thousands of things. Of more writers than there is room for, each has one state kept (``Trail``).
package final class StateKeeper {
  /// How much is kept for the next question; a state may take tens of kilobytes.
  package struct Room: Sendable {
    /// Chunks whose checkpoints are kept, about a hundred states each.
    var chunks: Int
    /// States before chunks.
    var bases: Int
    /// What those may hold together: things of some 200 bytes.
    var weight = 1 << 18
    /// Streams whose state is kept to run forward from.
    var streams: Int
    /// More writers than that have no room for checkpoints, nor for states before as many chunks.
    var crowd: Int

    /// As many as are given.
    package init(chunks: Int, bases: Int, streams: Int, crowd: Int = 256) {
      (self.chunks, self.bases, self.streams) = (chunks, bases, streams)
      self.crowd = crowd
    }

    /// For walking back and forth, with all streams in sight.
    package static let wide = Room(chunks: 96, bases: 2_048, streams: .max)
    /// For questions that are about one place after the other.
    package static let narrow = Room(chunks: 8, bases: 128, streams: 8)
  }

  private let timeline: Timeline
  private var labels: Labels
  private let room: Room
  /// Whether there are more writers than have room for checkpoints.
  private let isCrowd: Bool
  /// How many states before chunks there is room for.
  private let basesMax: Int
  /// The ``Timeline/generation`` that all of this is of.
  private var generation: Int
  private var checkpoints: [UInt64: Checkpoints] = [:]
  /// The chunk that was asked about last.
  private var lastKey: UInt64?
  private var bases: [UInt64: LifeState] = [:]
  private var basesWeight = 0
  /// The state last given, unless it was on the way back.
  private var live: [LifeState?]
  /// The streams that have such a state, or had, the first one first.
  private var lively: [Int] = []
  /// After how many events the last state was; -1 for none.
  private var lastCursors: [Int]
  /// By stream, where there are too many for checkpoints.
  private var trails: [Trail?]
  /// Questions for which there was no room to make checkpoints.
  private var misses = 0

  package init(_ timeline: Timeline, _ labels: Labels, room: Room = .wide) {
    self.timeline = timeline
    self.labels = labels
    self.room = room
    // Of many writers few chunks are met again, and where each of them stands its trail says.
    let streams = timeline.streams.count
    isCrowd = streams > room.crowd
    basesMax = isCrowd ? min(room.bases, max(1, room.crowd)) : room.bases
    generation = timeline.generation
    live = Array(repeating: nil, count: timeline.streams.count)
    lastCursors = Array(repeating: -1, count: timeline.streams.count)
    trails = Array(repeating: nil, count: timeline.streams.count)
  }

  /// The state of `stream` after its first `cursor` events.
  package func state(of stream: Int, after cursor: Int) -> LifeState {
    keepUp()
    let from = lastCursors[stream]
    lastCursors[stream] = cursor
    if from <= cursor, live[stream] != nil, isNear(from, cursor, stream) {
      return advance(stream, from, to: cursor)
    }
    // A player that goes backward needs no state to run forward from.
    let walksBack = from > cursor && from - cursor <= Checkpoints.spacing
    live[stream] = nil
    let state = restored(stream, cursor, walksBack: walksBack)
    if !walksBack { keep(live: state, of: stream) }
    return state
  }

  /// Whether running on takes no longer than beginning anew: within one chunk, or a few events on.
  private func isNear(_ from: Int, _ cursor: Int, _ stream: Int) -> Bool {
    if cursor - from <= Checkpoints.fineSpacing { return true }
    let index = timeline.streams[stream]
    return index.firstIndices[index.chunk(holding: cursor - 1)] <= from
  }

  /// The state before the first event of a chunk: that of its keyframe, where it has one.
  package func state(beforeChunk number: Int, of stream: Int) -> LifeState {
    keepUp()
    return base(of: number, stream)
  }

  /// The last state of the life before that of `stream`: what the new one has not taken along is in it.
  package func state(leftBefore stream: Int) -> LifeState? {
    keepUp()
    return labels.previous(of: stream).map { state(of: $0, after: timeline.streams[$0].count) }
  }

  /// Takes note of what a timeline that grows has got since.
  private func keepUp() {
    if generation != timeline.generation {
      generation = timeline.generation
      checkpoints.removeAll()
      for stream in trails.indices { trails[stream] = nil }
      lastKey = nil
      bases.removeAll()
      basesWeight = 0
    }
    let more = timeline.streams.count - live.count
    guard more > 0 else { return }
    labels = Labels(timeline)
    live += Array(repeating: nil, count: more)
    lastCursors += Array(repeating: -1, count: more)
    trails += Array(repeating: nil, count: more)
  }

  private func keep(live state: LifeState, of stream: Int) {
    if room.streams < live.count, !lively.contains(stream) {
      if lively.count >= room.streams { live[lively.removeFirst()] = nil }
      lively.append(stream)
    }
    live[stream] = state
  }

  /// Runs the live state forward; it is taken out meanwhile, so that it is changed in place.
  private func advance(_ stream: Int, _ from: Int, to cursor: Int) -> LifeState {
    guard var state = live[stream] else { return restored(stream, cursor, walksBack: false) }
    live[stream] = nil
    if cursor == from + 1 {
      let names = timeline.names
      state.apply(timeline.rows(of: stream, holding: from)[from], names: names)
    } else {
      fold(from..<cursor, of: stream, into: &state)
    }
    live[stream] = state
    return state
  }

  /// By the checkpoints of the chunk, which it leaves behind.
  private func restored(_ stream: Int, _ cursor: Int, walksBack: Bool) -> LifeState {
    guard cursor > 0 else { return base(of: 0, stream) }
    let index = timeline.streams[stream]
    let number = index.chunk(holding: cursor - 1)
    let events = ChunkEvents(
      timeline: timeline,
      stream: stream,
      firstIndex: index.firstIndices[number]
    )
    let key = Self.key(stream, number)
    let isSame = lastKey == key
    lastKey = key
    let count = cursor - events.firstIndex
    if isCrowd, let state = trailed(stream, key, count, of: events, in: number) { return state }
    // In place: taken out and put back, the states would be copied.
    if let known = checkpoints.index(forKey: key) {
      return checkpoints.values[known].state(after: count, of: events, walksBack: walksBack)
    }
    let base = base(of: number, stream)
    var points = Checkpoints(base: base)
    let chunks = base.isHeavy ? max(1, room.chunks / Self.heavyShare) : room.chunks
    if checkpoints.count >= chunks, walksBack, !isSame {
      // Walking back over more writers than there is room for, none would be met again.
      misses += 1
      guard misses % Self.missesEach == 0 else {
        return points.state(after: count, of: events, walksBack: false)
      }
    }
    while checkpoints.count >= chunks, let any = checkpoints.keys.first { checkpoints[any] = nil }
    let state = points.state(after: count, of: events, walksBack: walksBack)
    checkpoints[key] = points
    return state
  }

  /// A state on the way of one of many writers, from which the next ones are run.
  ///
  /// Walked in turns, each goes a few events at a time: with checkpoints for some of them only, the others
  /// would be run from the begin of their chunk at each step.
  private struct Trail {
    /// Of the chunk.
    var key: UInt64
    /// After how many events of the chunk.
    var count: Int
    var state: LifeState
  }

  /// By the trail of the stream, which goes along; nil for a state that is too heavy to be copied often.
  private func trailed(
    _ stream: Int,
    _ key: UInt64,
    _ count: Int,
    of events: ChunkEvents,
    in number: Int
  ) -> LifeState? {
    let begin = count / Checkpoints.spacing * Checkpoints.spacing
    var state: LifeState
    if let trail = trails[stream], trail.key == key, trail.count <= count {
      if trail.count == begin { return run(trail.state, begin..<count, of: events) }
      state = trail.state
      events.pass(trail.count..<begin) { piece, names in state.apply(piece, names: names) }
    } else {
      state = base(of: number, stream)
      guard !state.isHeavy else { return nil }
      events.pass(0..<begin) { piece, names in state.apply(piece, names: names) }
    }
    trails[stream] = nil
    guard !state.isHeavy else { return nil }
    trails[stream] = Trail(key: key, count: begin, state: state)
    return run(state, begin..<count, of: events)
  }

  /// `state` after some more events, which stay decoded.
  private func run(_ state: LifeState, _ range: Range<Int>, of events: ChunkEvents) -> LifeState {
    var state = state
    var at = events.firstIndex + range.lowerBound
    let end = events.firstIndex + range.upperBound
    while at < end {
      let rows = timeline.rows(of: events.stream, holding: at)
      let last = min(end, rows.indices.upperBound)
      let decoded = rows.events
      let piece = decoded.span.extracting(at - rows.firstIndex..<last - rows.firstIndex)
      state.apply(piece, names: timeline.names)
      at = last
    }
    return state
  }

  /// One in so many questions takes the room of another chunk.
  private static let missesEach = 8
  /// So many times fewer chunks are kept where states are heavy.
  private static let heavyShare = 16

  /// The state before the first event of a chunk.
  private func base(of number: Int, _ stream: Int) -> LifeState {
    var from = number
    var state: LifeState?
    while true {
      state = known(before: from, stream)
      if state != nil || from == 0 { break }
      from -= 1
    }
    var result = state ?? inherited(stream)
    while from < number {
      keep(result, before: from, stream)
      fold(chunk: from, of: stream, into: &result)
      from += 1
    }
    keep(result, before: number, stream)
    return result
  }

  private func known(before number: Int, _ stream: Int) -> LifeState? {
    if let kept = bases[Self.key(stream, number)] { return kept }
    let index = timeline.streams[stream]
    guard index.chunks.indices.contains(number), index.chunks[number].keyframe == .full,
      number > 0 || knewPrevious(of: stream)
    else { return nil }
    let keyframe = timeline.keyframe(number, of: stream)
    return keyframe.isEmpty ? nil : timeline.source.state(decoding: keyframe)
  }

  /// Whether what the incarnation before left is in the first keyframe: recorded apart, it is not.
  private func knewPrevious(of stream: Int) -> Bool {
    guard let previous = labels.previous(of: stream) else { return true }
    return timeline.streams[stream].attributes.previous == timeline.streams[previous].writer
  }

  private func keep(_ state: LifeState, before number: Int, _ stream: Int) {
    let key = Self.key(stream, number)
    if let old = bases.removeValue(forKey: key) { basesWeight -= old.weight }
    while bases.count >= basesMax || basesWeight + state.weight > room.weight,
      let any = bases.first
    {
      basesWeight -= any.value.weight
      bases[any.key] = nil
    }
    bases[key] = state
    basesWeight += state.weight
  }

  private func fold(chunk number: Int, of stream: Int, into state: inout LifeState) {
    let firsts = timeline.streams[stream].firstIndices
    fold(firsts[number]..<firsts[number + 1], of: stream, into: &state)
  }

  private func fold(_ range: Range<Int>, of stream: Int, into state: inout LifeState) {
    timeline.pass(range, of: stream) { events, names in
      state.apply(events, names: names)
      return true
    }
  }

  /// What the incarnations before this one left, folded from the first of them that has evidence.
  private func inherited(_ stream: Int) -> LifeState {
    var chain: [Int] = []
    var at = stream
    while let previous = labels.previous(of: at) {
      chain.append(previous)
      at = previous
      if known(before: 0, previous) != nil { break }
    }
    var state = LifeState()
    for (depth, ancestor) in chain.reversed().enumerated() {
      if depth == 0, let start = known(before: 0, ancestor) { state = start }
      keep(state, before: 0, ancestor)
      let index = timeline.streams[ancestor]
      if let last = index.chunks.indices.last {
        state = base(of: last, ancestor)
        fold(chunk: last, of: ancestor, into: &state)
      }
      var next = LifeState()
      next.beginIncarnation(after: state, names: timeline.names)
      state = next
    }
    return state
  }

  private static func key(_ stream: Int, _ chunk: Int) -> UInt64 {
    UInt64(stream) << 32 | UInt64(chunk)
  }
}
