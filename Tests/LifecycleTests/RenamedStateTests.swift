// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import Support
import Testing

/// A state with the ids of another table says the same.
@Suite struct RenamedStateTests {
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func theFactsAreThoseOfTheKeyframe(_ seed: UInt64) throws {
    var source = RandomEvents(seed: seed)
    var state = LifeState()
    for event in source.next(3_000) { state.apply(event, names: source.names) }
    // Other ids for the same strings, and some that are nobody's.
    var names = Names()
    for string in source.names.strings.reversed() { _ = names.intern("not \(string)") }
    for string in source.names.strings.reversed() { _ = names.intern(string) }
    let renamed = state.renamed(from: source.names, to: &names)
    let bytes = state.encode(names: source.names)
    var read = names
    #expect(try renamed == LifeState(decoding: bytes, names: &read))
    // The tables of a keyframe are in the order of their ids.
    var back = source.names
    #expect(renamed.renamed(from: names, to: &back) == state)
  }
}
