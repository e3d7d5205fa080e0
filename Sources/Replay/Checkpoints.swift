// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// The folded states of one chunk: one each 256 events, and finer where one walks backward.
///
/// Going backward is restoring the nearest state before the place and running
/// forward. The first step back into a block of 256 leaves a state each 16
/// events behind, and the first into 16 events a state after each of them, so
/// that the next steps run nothing.
struct Checkpoints {
  static let spacing = 256
  static let fineSpacing = 16

  /// The states before events 0, 256, 512 … as far as the player has been.
  private var coarse: [LifeState]
  /// The states before each 16th event of one block.
  private var fine: [LifeState] = []
  private var fineBlock = -1
  /// The states before each of 16 events.
  private var single: [LifeState] = []
  private var singleBlock = -1

  init(base: LifeState) { coarse = [base] }

  /// The state after `count` events of the chunk; `events` are its own.
  mutating func state(after count: Int, of events: ChunkEvents) -> LifeState {
    let block = count / Self.spacing
    let narrow = count / Self.fineSpacing
    if singleBlock != narrow {
      Self.extend(&coarse, to: block, from: 0, by: Self.spacing, events)
      if fineBlock != block {
        fineBlock = block
        fine = [coarse[block]]
      }
      let first = block * Self.spacing
      Self.extend(
        &fine,
        to: narrow - first / Self.fineSpacing,
        from: first,
        by: Self.fineSpacing,
        events
      )
      singleBlock = narrow
      single = [fine[narrow - first / Self.fineSpacing]]
    }
    let first = narrow * Self.fineSpacing
    Self.extend(&single, to: count - first, from: first, by: 1, events)
    return single[count - first]
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
