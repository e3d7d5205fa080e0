// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Each event of some kinds is judged by what a few earlier ones have left.
///
///     Recall(attention: [.event(.resourceUse)], memory: Frames()) { frames, event, _, _ in … }
///       says: { scene, frames in Story("…", …) }
struct Recall<Memory: Sendable>: Pattern {
  /// A look at an event that may change what is remembered; nil where the event is no occasion.
  typealias Judgement =
    @Sendable (inout Memory, borrowing Event, inout RuleContext, borrowing Names) -> Finding?

  let attention: [Trigger]
  var memory: Memory
  /// Whether one occasion a stream is counted, of thousands.
  var countsOnce = false
  let finds: Judgement
  /// What it says where the recording ends.
  var ends: (@Sendable (inout Memory, borrowing Event, inout RuleContext, borrowing Names) -> Void)?
  /// Describes the finding from what was remembered when it was made.
  let says: @Sendable (Scene, Memory) -> Story
  private(set) var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let finding = finds(&memory, event, &context, names) else { return }
    if case .held = finding, countsOnce { return context.heldOnce(&hasHeld) }
    let memory = memory
    context.say(finding, event, names) { says($0, memory) }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) { ends?(&memory, last, &context, names) }
}
