// SPDX-License-Identifier: Apache-2.0
import Lifecycle
import Timeline
import Trace

/// The folded states of one open chunk: one each 256 events, and finer where one walks backward.
///
/// Going backward is restoring the nearest state before the place and running
/// forward. The first step back into a block of 256 leaves a state each 16
/// events behind, so that the next steps run at most 15.
struct Checkpoints {
  static let spacing = 256
  static let fineSpacing = 16

  /// The chunk, by its number in its stream.
  let chunk: Int
  /// The states before events 0, 256, 512 … as far as somebody has been.
  private var coarse: [LifeState]
  /// The states before each 16th event of one block.
  private var fine: [LifeState] = []
  private var fineBlock = -1

  init(chunk: Int, base: LifeState) {
    self.chunk = chunk
    coarse = [base]
  }

  /// The state after `count` events of `chunk`.
  mutating func state(after count: Int, of chunk: OpenChunk, names: Names) -> LifeState {
    let block = count / Self.spacing
    while coarse.count <= block {
      var state = coarse[coarse.count - 1]
      let first = (coarse.count - 1) * Self.spacing
      for event in chunk.events[first..<first + Self.spacing] { state.apply(event, names: names) }
      coarse.append(state)
    }
    if fineBlock != block {
      fineBlock = block
      fine = [coarse[block]]
    }
    let fineIndex = (count - block * Self.spacing) / Self.fineSpacing
    while fine.count <= fineIndex {
      var state = fine[fine.count - 1]
      let first = block * Self.spacing + (fine.count - 1) * Self.fineSpacing
      for event in chunk.events[first..<first + Self.fineSpacing] {
        state.apply(event, names: names)
      }
      fine.append(state)
    }
    var state = fine[fineIndex]
    let first = block * Self.spacing + fineIndex * Self.fineSpacing
    for event in chunk.events[first..<count] { state.apply(event, names: names) }
    return state
  }
}
