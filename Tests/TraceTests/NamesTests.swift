// SPDX-License-Identifier: Apache-2.0
import Testing
import LifetraceTrace

@Suite struct NamesTests {
  /// An accent as one character or as two: the same to the eye, two files to the system.
  @Test func namesAreTheirBytes() {
    var names = Names()
    let composed = names.intern("caf\u{e9}.txt")
    let decomposed = names.intern("cafe\u{301}.txt")
    #expect(composed != decomposed)
    #expect(Array(names[composed].utf8) != Array(names[decomposed].utf8))
    #expect(names.intern("caf\u{e9}.txt") == composed)
    #expect(names.find("cafe\u{301}.txt") == decomposed)
    #expect(names.find("cafe") == nil)
  }
}
