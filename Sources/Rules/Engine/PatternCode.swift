// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What is done with a pattern of some type, compiled for that type, on memory that holds one.
///
/// A call through `any Pattern` would project, and sometimes copy, what stands in it; and patterns
/// that are generic would look their own type up, again at each event. Classes rather than closures,
/// as a closure that is called out of memory is counted up and down for it, at each event and rule.
class PatternCode: @unchecked Sendable {
  // Sendable, as it has no state of its own but a pattern that never changes.
  typealias Memory = UnsafeMutableRawPointer

  /// Of patterns that begin as `pattern`.
  static func of(_ pattern: some Pattern) -> PatternCode { CodeOf(pattern) }

  fileprivate init() {}

  func make() -> Memory { preconditionFailure("a pattern has a type") }
  func copy(_ memory: Memory) -> Memory { preconditionFailure("a pattern has a type") }
  func free(_ memory: Memory) { preconditionFailure("a pattern has a type") }

  func apply(
    _ memory: Memory,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) { preconditionFailure("a pattern has a type") }

  func finish(
    _ memory: Memory,
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) { preconditionFailure("a pattern has a type") }
}

private final class CodeOf<One: Pattern>: PatternCode, @unchecked Sendable {
  private let pattern: One

  init(_ pattern: One) { self.pattern = pattern }

  override func make() -> Memory { Memory(Self.place(pattern)) }

  override func copy(_ memory: Memory) -> Memory {
    Memory(Self.place(memory.assumingMemoryBound(to: One.self).pointee))
  }

  override func free(_ memory: Memory) {
    let place = memory.assumingMemoryBound(to: One.self)
    place.deinitialize(count: 1)
    place.deallocate()
  }

  override func apply(
    _ memory: Memory,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    memory.assumingMemoryBound(to: One.self).pointee.apply(event, &context, names)
  }

  override func finish(
    _ memory: Memory,
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    memory.assumingMemoryBound(to: One.self).pointee.finish(last, &context, names)
  }

  private static func place(_ pattern: One) -> UnsafeMutablePointer<One> {
    let place = UnsafeMutablePointer<One>.allocate(capacity: 1)
    place.initialize(to: pattern)
    return place
  }
}
