// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// The folded states of one chunk: some of one each 256 events, and finer where one walks backward.
///
/// Going backward is restoring the nearest state before the place and running
/// forward. A jump leaves the states behind it that the first steps back from there begin at. The
/// first step back into a block of 256 leaves a state each 16
/// events behind, and the first into 16 events a state after each of them, so
/// that the next steps run nothing. A heavy state is copied once a question, whoever asks: of those
/// no more than two are kept.
struct Checkpoints {
  static let spacing = 256
  static let fineSpacing = 16
  /// So many blocks behind a jump can be walked into at once.
  private static let trail = 2

  /// The states before events 0, 256, 512 …; nil where nobody has been.
  private var coarse: [LifeState?]
  /// The states before each 16th event of one block.
  private var fine: [LifeState] = []
  private var fineBlock = -1
  /// The states before each of 16 events.
  private var single: [LifeState] = []
  private var singleBlock = -1

  /// Whether one of them holds too much to copy it often.
  private var isHeavy: Bool

  init(base: LifeState) {
    coarse = [base]
    isHeavy = base.isHeavy
  }

  /// The state after `count` events of the chunk; `events` are its own.
  mutating func state(after count: Int, of events: ChunkEvents, walksBack: Bool) -> LifeState {
    let block = count / Self.spacing
    guard walksBack, !isHeavy else {
      let state = reach(block, keeping: Self.trail, events)
      return Self.run(state, block * Self.spacing..<count, events)
    }
    let narrow = count / Self.fineSpacing
    let first = block * Self.spacing
    if singleBlock != narrow {
      if fineBlock != block {
        fine = [reach(block, keeping: .max, events)]
        fineBlock = block
      }
      let number = narrow - first / Self.fineSpacing
      Self.extend(&fine, to: number, from: first, by: Self.fineSpacing, events)
      singleBlock = narrow
      single = [fine[number]]
    }
    let from = narrow * Self.fineSpacing
    Self.extend(&single, to: count - from, from: from, by: 1, events)
    return single[count - from]
  }

  /// The state before a block, run from the nearest one that is known; those before the last `kept`
  /// blocks stay.
  private mutating func reach(_ block: Int, keeping kept: Int, _ events: ChunkEvents) -> LifeState {
    while coarse.count <= block { coarse.append(nil) }
    var at = block
    while at > 0, coarse[at] == nil { at -= 1 }
    guard var state = coarse[at] else { preconditionFailure("the state before a chunk is known") }
    let first = kept > block ? 0 : block - kept + 1
    while at < block {
      let next = max(at + 1, min(first, block))
      state = Self.run(state, at * Self.spacing..<next * Self.spacing, events)
      if state.isHeavy {
        isHeavy = true
        for other in coarse.indices.dropFirst() { coarse[other] = nil }
      }
      coarse[next] = state
      at = next
    }
    return state
  }

  /// `state` after the events of that range.
  private static func run(_ state: consuming LifeState, _ range: Range<Int>, _ events: ChunkEvents)
    -> LifeState
  {
    var state = state
    events.pass(range) { piece, names in state.apply(piece, names: names) }
    return state
  }

  /// Makes `states`, the first of which is before event `first`, go up to number `last`.
  private static func extend(
    _ states: inout [LifeState],
    to last: Int,
    from first: Int,
    by spacing: Int,
    _ events: ChunkEvents
  ) {
    guard states.count <= last else { return }
    var state = states[states.count - 1]
    var folded = 0
    let start = first + (states.count - 1) * spacing
    events.pass(start..<first + last * spacing) { piece, names in
      var at = 0
      while at < piece.count {
        let end = min(piece.count, at + spacing - folded)
        state.apply(piece.extracting(at..<end), names: names)
        folded += end - at
        at = end
        guard folded == spacing else { break }
        states.append(state)
        folded = 0
      }
    }
  }
}

/// The events of one chunk, counted from its first.
struct ChunkEvents {
  let timeline: Timeline
  let stream: Int
  /// The index in the stream of the first event.
  let firstIndex: Int

  /// Hands out those of a range, in order, piece by piece.
  func pass(_ range: Range<Int>, _ body: (Span<Event>, Names) -> Void) {
    let indices = firstIndex + range.lowerBound..<firstIndex + range.upperBound
    timeline.pass(indices, of: stream) { events, names in
      body(events, names)
      return true
    }
  }
}

extension LifeState {
  /// How many things it holds: what a copy of it costs that is changed.
  var weight: Int {
    data.count + tasks.count + notifications.count + spans.count + wakes.count + deadlines.count
      + resources.count
  }

  /// Whether a copy takes longer than to run a few hundred events.
  var isHeavy: Bool { weight > 512 }
}
