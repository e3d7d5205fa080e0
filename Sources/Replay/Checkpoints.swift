// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// The folded states of one open chunk: one each 256 events, and finer where one walks backward.
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

  /// The state after `count` events of `chunk`.
  mutating func state(after count: Int, of chunk: OpenChunk, names: Names) -> LifeState {
    let block = count / Self.spacing
    let narrow = count / Self.fineSpacing
    if singleBlock != narrow {
      Self.extend(&coarse, to: block, from: 0, by: Self.spacing, chunk, names)
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
        chunk,
        names
      )
      singleBlock = narrow
      single = [fine[narrow - first / Self.fineSpacing]]
    }
    let first = narrow * Self.fineSpacing
    Self.extend(&single, to: count - first, from: first, by: 1, chunk, names)
    return single[count - first]
  }

  /// Makes `states`, the first of which is before event `first`, go up to number `last`.
  private static func extend(
    _ states: inout [LifeState],
    to last: Int,
    from first: Int,
    by spacing: Int,
    _ chunk: OpenChunk,
    _ names: Names
  ) {
    let events = chunk.events
    while states.count <= last {
      var state = states[states.count - 1]
      let start = first + (states.count - 1) * spacing
      state.apply(events.span.extracting(start..<start + spacing), names: names)
      states.append(state)
    }
  }
}
