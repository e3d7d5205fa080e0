// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Two patterns judge for one rule, each what it is made for.
///
///     Both(OpenAt(…), Recall(…))
///
/// Each sees the events of both, and passes over those that are none of its own.
struct Both<First: Pattern, Second: Pattern>: Pattern {
  private(set) var first: First
  private(set) var second: Second

  init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

  var attention: [Trigger] { first.attention + second.attention }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    first.apply(event, &context, names)
    second.apply(event, &context, names)
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    first.finish(last, &context, names)
    second.finish(last, &context, names)
  }
}
