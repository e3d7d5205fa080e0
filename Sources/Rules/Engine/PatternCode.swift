// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What is done with a pattern of some type, compiled for that type, on memory that holds one.
///
/// A call through `any Pattern` would project, and sometimes copy, what stands in it; and patterns
/// that are generic would look their own type up, again at each event.
struct PatternCode: Sendable {
  typealias Memory = UnsafeMutableRawPointer
  typealias Look =
    @Sendable (Memory, borrowing Event, inout RuleContext, borrowing Names) -> Void

  let make: @Sendable () -> Memory
  let copy: @Sendable (Memory) -> Memory
  let free: @Sendable (Memory) -> Void
  let apply: Look
  let finish: Look

  /// Of patterns that begin as `pattern`.
  init<One: Pattern>(_ pattern: One) {
    make = { Memory(Self.place(pattern)) }
    copy = { Memory(Self.place($0.assumingMemoryBound(to: One.self).pointee)) }
    free = { memory in
      let place = memory.assumingMemoryBound(to: One.self)
      place.deinitialize(count: 1)
      place.deallocate()
    }
    apply = { memory, event, context, names in
      memory.assumingMemoryBound(to: One.self).pointee.apply(event, &context, names)
    }
    finish = { memory, last, context, names in
      memory.assumingMemoryBound(to: One.self).pointee.finish(last, &context, names)
    }
  }

  private static func place<One>(_ pattern: One) -> UnsafeMutablePointer<One> {
    let place = UnsafeMutablePointer<One>.allocate(capacity: 1)
    place.initialize(to: pattern)
    return place
  }
}
